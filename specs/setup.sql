-- What all isolation tests share: the extension, a server, the helpers' database.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE EXTENSION itable_fdw;
CREATE SERVER store FOREIGN DATA WRAPPER itable_fdw
  OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER store
  OPTIONS (account :'account', account_key :'account_key');
