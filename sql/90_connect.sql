-- A server and a user mapping from an Azure connection string.
SELECT itable_connect('UseDevelopmentStorage=true', 'dev');
SELECT itable_connect('DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net', 'by_key');
SELECT itable_connect('TableEndpoint=https://shop.table.cosmos.azure.com:443/;SharedAccessSignature=sv=2019-02-02&sig=abc%3D', 'by_sas');
SELECT srvname, srvoptions FROM pg_foreign_server WHERE srvname IN ('dev', 'by_key', 'by_sas') ORDER BY srvname;
SELECT srvname, regexp_replace(umoptions::text, 'account_key=[^,}"]*', 'account_key=...') AS options
  FROM pg_user_mappings WHERE srvname IN ('dev', 'by_key', 'by_sas') ORDER BY srvname;
\set VERBOSITY terse
SELECT itable_connect('AccountKey=c2VjcmV0', 'nothing');
SELECT itable_connect('some words', 'nothing');
SELECT itable_connect('UseDevelopmentStorage=true', 'dev');

-- to the store of these tests, as the portal would write it
\set QUIET on
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
SELECT itable_connect(format('DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s;',
  :'account', :'account_key', :'endpoint'), 'here');
CREATE FOREIGN TABLE connected (p text OPTIONS (key 'partition'), r text OPTIONS (key 'row')) SERVER here;
SELECT itable_create_table('connected');
INSERT INTO connected VALUES ('a', 'b');
SELECT * FROM connected;
