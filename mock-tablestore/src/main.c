/*
 * main.c
 *	  Command line, start, and the wait for a signal to end.
 *
 * --help is the manual; README.md says the same at more length.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "auth.h"
#include "bearer.h"
#include "fault.h"
#include "http_server.h"
#include "journal.h"
#include "latency.h"
#include "limits.h"
#include "logfile.h"
#include "queue_store.h"
#include "router.h"
#include "strict.h"
#include "sync.h"

#define EMULATOR_ACCOUNT "devstoreaccount1"
#define EMULATOR_KEY \
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6" \
	"tq/K1SZFPTOtr/KBHBeksoGMGw=="

typedef struct Options
{
	char	   *host;
	char	   *port;
	const char *port_file;
	const char *data;
	const char *log;
	const char *account;		/* the one that waits for its --key */
	char	   *queue_host;		/* NULL: no queue service */
	char	   *queue_port;
	const char *tls_cert;		/* files; both or none */
	const char *tls_key;
	sigset_t	signals;		/* those that end it */
} Options;

static const char help_text[] =
"mock-tablestore - a server for the Azure Table Storage REST protocol\n"
"\n"
"Usage: mock-tablestore [OPTION]...\n"
"\n"
"  --listen HOST:PORT   where to listen (default 127.0.0.1:10002);\n"
"                       port 0 takes any free port\n"
"  --queue-listen HOST:PORT\n"
"                       also serve queues, there (default: no queues)\n"
"  --port-file FILE     write the port and a newline to FILE when ready, and\n"
"                       on a second line the queue service's port\n"
"  --tls-cert FILE      speak https only, with the certificate (chain) and\n"
"  --tls-key FILE       the private key in these PEM files\n"
"  --memory             keep everything in memory (default)\n"
"  --data FILE          keep everything in FILE; what was acknowledged\n"
"                       survives kill -9 and power cuts\n"
"  --account NAME       an account, followed by its key; both may be given\n"
"  --key BASE64         several times (default: the well-known account of\n"
"                       the emulators, " EMULATOR_ACCOUNT ")\n"
"  --oauth basic        accept bearer tokens (JWT) whose claims nbf, exp, iss and\n"
"                       aud are right; their signatures are not checked\n"
"  --oauth-http         accept them over plain HTTP, too\n"
"  --log FILE           append a line per request to FILE (- is stderr)\n"
"  --latency MS[:JITTER]  wait that long before every request is served, and\n"
"                       up to JITTER ms longer\n"
"  --seed N             of what looks random, the jitter (default 1)\n"
"  --limits azure       at most 2,000 entities/s per partition and 20,000 per\n"
"                       account (503 ServerBusy beyond), pages that end with\n"
"                       their partition or after 50,000 rows looked at\n"
"  --strict             refuse what the service tolerates but documents as\n"
"                       wrong; the message names the rule\n"
"  --fault JSON         a rule as for /__mock/faults below; repeatable\n"
"  --help               this text\n"
"  --version            the version\n"
"\n"
"Clients use http://HOST:PORT/ACCOUNT as table endpoint, or a Host header\n"
"whose first label is the account.  SharedKey, SharedKeyLite and shared\n"
"access signatures are verified.  Ctrl-C, SIGTERM or SIGHUP ends it.  The key\n"
"of " EMULATOR_ACCOUNT ", as every emulator has it:\n"
"  " EMULATOR_KEY "\n"
"\n"
"For tests, without a signature:\n"
"  GET    /__mock/journal    a line per request: number, method, path and\n"
"                            query, status (0: closed without a reply),\n"
"                            body bytes in, body bytes out, connection, and\n"
"                            the fault if it met one; separated by tabs\n"
"  DELETE /__mock/journal    forget them (or POST /__mock/journal/reset)\n"
"  GET    /__mock/counters   totals as JSON; DELETE sets them to zero\n"
"  POST   /__mock/faults     add a rule, a JSON object with\n"
"         operation   any, table, get, query, batch, insert, update, delete,\n"
"                     queue\n"
"         table       a table's or queue's name, or null for all\n"
"         nth, times  fire at the nth matching request, that many times\n"
"                     (1 and 1; times 0 is for ever)\n"
"         action      status       answer with status, code, retry_after\n"
"                     delay        wait ms, then go on\n"
"                     drop_before  apply nothing and close the connection\n"
"                     drop_reply   apply, then close the connection\n"
"                     silent       apply nothing and never answer\n"
"                     zombie       go on, and apply it again after ms or when\n"
"                                  its point is released\n"
"                     late         close now, apply it after ms or then\n"
"                     truncate     break off after bytes of the reply's body\n"
"                     garbage      a body that is no JSON\n"
"                     slow_body    bytes of the body, a rest of ms, and so on\n"
"                     oversized    blanks up to bytes behind the body\n"
"                     redirect     status 307 to location\n"
"                     page         page_size, no_row_key, odd_token: short or\n"
"                                  empty pages, tokens hard to send back\n"
"                     pause        wait at a point, when before or after it\n"
"                                  is applied\n"
"         partition   only requests confined to this PartitionKey\n"
"  GET    /__mock/faults     the rules with their hits; DELETE clears them\n"
"  GET    /__mock/paused     the points where requests wait\n"
"  POST   /__mock/release?point=NAME   let them go on; without a name all\n"
"  POST   /__mock/clock      {\"freeze\": TIME or true, \"advance_ms\": N}, the\n"
"                            clock of messages and shared access signatures;\n"
"                            GET shows it, DELETE lets it run again\n"
"  POST   /__mock/reset      drop all tables and queues of all accounts\n"
"\n"
"For example, the third batch is throttled:\n"
"  curl -X POST http://127.0.0.1:10002/__mock/faults -d \\\n"
"    '{\"operation\":\"batch\",\"nth\":3,\"action\":\"status\",\"status\":503}'\n"
"\n"
"Exit status: 0 after a signal, 1 when it cannot start, 2 for a wrong\n"
"command line.\n";

static void __attribute__((noreturn, format(printf, 1, 2)))
usage_error(const char *fmt,...)
{
	va_list		ap;

	fputs("mock-tablestore: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nTry 'mock-tablestore --help'.\n", stderr);
	exit(2);
}

/* HOST:PORT, with [..] around an IPv6 address. */
static void
set_listen(const char *option, char **to_host, char **to_port,
		   const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t		n = colon ? (size_t) (colon - text) : 0;
	char	   *end;
	long		port;

	if (colon == NULL || n == 0)
		usage_error("%s needs HOST:PORT, not \"%s\"", option, text);
	port = strtol(colon + 1, &end, 10);
	if (colon[1] == '\0' || *end || port < 0 || port > 65535)
		usage_error("\"%s\" is no port number", colon + 1);
	if (text[0] == '[' && text[n - 1] == ']')
	{
		text++;
		n -= 2;
	}
	free(*to_host);
	free(*to_port);
	*to_host = xmalloc(n + 1);
	memcpy(*to_host, text, n);
	(*to_host)[n] = '\0';
	*to_port = xstrdup(colon + 1);
}

static void
set_key(Options *o, const char *key)
{
	if (o->account == NULL)
		usage_error("--key must follow its --account");
	if (!account_add(o->account, key))
		usage_error("the key of account \"%s\" is not base64", o->account);
	o->account = NULL;
}

static void
set_account(Options *o, const char *name)
{
	if (o->account)
		usage_error("account \"%s\" has no --key", o->account);
	if (*name == '\0' || strpbrk(name, "/?%. \t") ||
		strcmp(name, "__mock") == 0)
		usage_error("\"%s\" is no account name", name);
	o->account = name;
}

static void
set_seed(const char *text)
{
	char	   *end;
	long long	seed = strtoll(text, &end, 10);

	if (*text == '\0' || *end || seed < 0)
		usage_error("--seed needs a number, not \"%s\"", text);
	latency_seed((uint64_t) seed);
}

static void
set_fault(const char *json)
{
	Arena		a = {0};
	const char *wrong = fault_add(&a, span_of(json));

	if (wrong)
		usage_error("--fault: %s", wrong);
	arena_free(&a);
}

/* The options that make the server slow, strict or faulty. */
static void
set_behaviour(int option, const char *text)
{
	if (option == 's')
		set_seed(text);
	else if (option == 'S')
		strict_enable();
	else if (option == 'f')
		set_fault(text);
	else if (option == 't' && !latency_set(text))
		usage_error("--latency needs MS or MS:JITTER, not \"%s\"", text);
	else if (option == 'o' && !bearer_set(text))
		usage_error("--oauth knows basic and none, not \"%s\"", text);
	else if (option == 'O')
		bearer_allow_http();
	else if (option == 'i' && !limits_set(text))
		usage_error("--limits knows azure and none, not \"%s\"", text);
}

static const struct option long_options[] = {
	{"listen", required_argument, NULL, 'l'},
	{"port-file", required_argument, NULL, 'p'},
	{"queue-listen", required_argument, NULL, 'q'},
	{"tls-cert", required_argument, NULL, 'C'},
	{"tls-key", required_argument, NULL, 'K'},
	{"memory", no_argument, NULL, 'm'},
	{"data", required_argument, NULL, 'd'},
	{"account", required_argument, NULL, 'a'},
	{"key", required_argument, NULL, 'k'},
	{"log", required_argument, NULL, 'L'},
	{"latency", required_argument, NULL, 't'},
	{"seed", required_argument, NULL, 's'},
	{"limits", required_argument, NULL, 'i'},
	{"strict", no_argument, NULL, 'S'},
	{"oauth", required_argument, NULL, 'o'},
	{"oauth-http", no_argument, NULL, 'O'},
	{"fault", required_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'v'},
	{NULL, 0, NULL, 0}
};

static void
read_options(int argc, char **argv, Options *o)
{
	bool		memory = false;
	int			c;

	set_listen("--listen", &o->host, &o->port, "127.0.0.1:10002");
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", long_options, NULL)) != -1)
	{
		switch (c)
		{
			case 'l':
				set_listen("--listen", &o->host, &o->port, optarg);
				break;
			case 'q':
				set_listen("--queue-listen", &o->queue_host, &o->queue_port,
						   optarg);
				break;
			case 'C':
				o->tls_cert = optarg;
				break;
			case 'K':
				o->tls_key = optarg;
				break;
			case 'p':
				o->port_file = optarg;
				break;
			case 'm':
				memory = true;
				break;
			case 'd':
				o->data = optarg;
				break;
			case 'a':
				set_account(o, optarg);
				break;
			case 'k':
				set_key(o, optarg);
				break;
			case 'L':
				o->log = optarg;
				break;
			case 't':
			case 's':
			case 'i':
			case 'S':
			case 'f':
			case 'o':
			case 'O':
				set_behaviour(c, optarg);
				break;
			case 'h':
				fputs(help_text, stdout);
				exit(0);
			case 'v':
				puts("mock-tablestore " MTS_VERSION);
				exit(0);
			case ':':
				usage_error("option %s needs a value", argv[optind - 1]);
			default:
				usage_error("unknown option %s", argv[optind - 1]);
		}
	}
	if (optind < argc)
		usage_error("unexpected argument \"%s\"", argv[optind]);
	if (o->account)
		usage_error("account \"%s\" has no --key", o->account);
	if ((o->tls_cert == NULL) != (o->tls_key == NULL))
		usage_error("--tls-cert and --tls-key need each other");
	if (o->data && *o->data == '\0')
		usage_error("--data needs the name of a file");
	if (memory && o->data)
		usage_error("--memory and --data exclude each other");
}

/* Written beside and renamed, so that a reader never sees half of it. */
static bool
write_port_file(const char *path, const ServerPorts *ports)
{
	size_t		n = strlen(path) + 32;
	char	   *beside = xmalloc(n);
	FILE	   *f;
	bool		ok;

	snprintf(beside, n, "%s.%ld", path, (long) getpid());
	f = fopen(beside, "we");
	ok = f != NULL && fprintf(f, "%d\n", ports->table) > 0;
	if (ok && ports->queue >= 0)
		ok = fprintf(f, "%d\n", ports->queue) > 0;
	if (f != NULL)
		ok = fclose(f) == 0 && ok;
	ok = ok && rename(beside, path) == 0;
	free(beside);
	return ok;
}

static int
fail(const char *what, const char *why)
{
	fprintf(stderr, "mock-tablestore: %s: %s\n", what, why);
	return 1;
}

/*
 * Threads inherit the mask, so only sigwait in main sees the signals; called
 * before there is any other thread, lest that one dies of them.
 */
static void
block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	/* Its terminal is gone; unless nohup has said that it does not matter. */
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	else
		sigaddset(set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* A file that may grow no more is a write that fails. */
	signal(SIGXFSZ, SIG_IGN);
}

/* The file's text, malloc'ed; NULL with errno set. */
static char *
read_file(const char *path)
{
	FILE	   *f = fopen(path, "re");
	Buf			text = {0};
	char		chunk[4096];
	size_t		n;
	bool		ok;

	if (f == NULL)
		return NULL;
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&text, chunk, n);
	ok = !ferror(f);
	fclose(f);
	buf_putc(&text, '\0');
	if (!ok)
		buf_free(&text);
	return text.p;
}

/* Serve until a signal comes. */
static int
listen_and_wait(const Options *o, const ServerOptions *server)
{
	ServerPorts ports;
	char	   *why = NULL;
	int			rc = 0;
	int			sig;

	if (!server_start(server, &ports, &why))
	{
		fprintf(stderr, "mock-tablestore: %s\n", why);
		free(why);
		return 1;
	}
	if (o->port_file && !write_port_file(o->port_file, &ports))
		rc = fail(o->port_file, strerror(errno));
	else
	{
		log_line("listening on %s:%d, data %s", o->host, ports.table,
				 o->data ? o->data : "in memory");
		if (ports.queue >= 0)
			log_line("queues on %s:%d", o->queue_host, ports.queue);
		sigwait(&o->signals, &sig);
		log_line("stopping after signal %d", sig);
	}
	server_stop();
	return rc;
}

static int
open_and_serve(const Options *o, const ServerOptions *server)
{
	char	   *why = NULL;
	Store	   *store = store_open(o->data, &why);
	int			rc;

	if (store == NULL)
	{
		fail(o->data ? o->data : "memory", why);
		free(why);
		return 1;
	}
	if (queue_store_open(store) != STORE_OK)
		rc = fail(o->data ? o->data : "memory", "no room for queues");
	else
	{
		router_start(store);
		if (o->data && !sync_start(o->data))
			rc = fail(o->data, strerror(errno));
		else
			rc = listen_and_wait(o, server);
		sync_stop();
	}
	queue_store_close();
	store_close(store);
	return rc;
}

static int
serve(const Options *o)
{
	char	   *cert = o->tls_cert ? read_file(o->tls_cert) : NULL;
	char	   *key = NULL;
	ServerOptions server = {o->host, o->port, o->queue_host,
	o->queue_port, NULL, NULL};
	int			rc;

	if (o->tls_cert && cert == NULL)
		rc = fail(o->tls_cert, strerror(errno));
	else if (o->tls_key && (key = read_file(o->tls_key)) == NULL)
		rc = fail(o->tls_key, strerror(errno));
	else
	{
		server.tls_cert = cert;
		server.tls_key = key;
		rc = open_and_serve(o, &server);
	}
	free(cert);
	free(key);
	return rc;
}

int
main(int argc, char **argv)
{
	Options		options = {0};
	int			rc;

	/* Pages are large: memory that comes and goes costs page faults. */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 128 << 20);
	read_options(argc, argv, &options);
	block_signals(&options.signals);
	if (account_count() == 0)
		account_add(EMULATOR_ACCOUNT, EMULATOR_KEY);
	if (options.log && !log_open(options.log))
		rc = fail(options.log, strerror(errno));
	else
		rc = serve(&options);
	log_close();
	journal_reset();
	account_free_all();
	free(options.host);
	free(options.port);
	free(options.queue_host);
	free(options.queue_port);
	return rc;
}
