/*
 * error.c
 *	  The error codes of the table service, with status and message.
 *
 * Texts are those the service sends (its spelling included); clients must
 * not depend on them, but tests of clients like to see the real ones.
 * Easy to break: the table is indexed by ErrCode.
 */
#include "error.h"

#include "json.h"
#include "timestamp.h"

static const ErrInfo error_table[ERR_COUNT] = {
	[ERR_NONE] = {200, "", ""},
	[ERR_ATOM_NOT_SUPPORTED] = {415, "AtomFormatNotSupported",
	"Atom format is not supported."},
	[ERR_AUTHENTICATION_FAILED] = {403, "AuthenticationFailed",
		"Server failed to authenticate the request. Make sure the value of "
	"Authorization header is formed correctly including the signature."},
	[ERR_BATCH_PARTITIONS] = {400, "CommandsInBatchActOnDifferentPartitions",
	"All commands in a batch must operate on same entity group."},
	[ERR_BEARER_CHALLENGE] = {401, "InvalidAuthenticationInfo",
		"Server failed to authenticate the request. Please refer to the "
	"information in the www-authenticate header."},
	[ERR_CORS_HEADER] = {400, "InvalidHeaderValue",
	"A required CORS header is not present."},
	[ERR_CORS_PREFLIGHT] = {403, "CorsPreflightFailure",
		"CORS not enabled or no matching rule found for this request."},
	[ERR_DUPLICATE_PROPERTIES] = {400, "DuplicatePropertiesSpecified",
	"A property is specified more than one time."},
	[ERR_EMPTY_METADATA_KEY] = {400, "EmptyMetadataKey",
	"The key for one of the metadata key-value pairs is empty."},
	[ERR_ENTITY_EXISTS] = {409, "EntityAlreadyExists",
	"The specified entity already exists."},
	[ERR_ENTITY_TOO_LARGE] = {400, "EntityTooLarge",
	"The entity is larger than the maximum allowed size (1MB)."},
	[ERR_HOST_MISSING] = {400, "HostInformationNotPresent",
		"The required host information is not present in the request. You "
		"must send a non-empty Host header or include the absolute URI in the "
	"request line."},
	[ERR_INTERNAL] = {500, "InternalError",
	"Server encountered an internal error. Please try again after some time."},
	[ERR_INVALID_AUTHENTICATION_INFO] = {400, "InvalidAuthenticationInfo",
		"Authentication information is not given in the correct format. Check "
	"the value of Authorization header."},
	[ERR_INVALID_DUPLICATE_ROW] = {400, "InvalidDuplicateRow",
		"The batch request contains multiple changes with same row key. An "
	"entity can appear only once in a batch request."},
	[ERR_INVALID_HEADER_VALUE] = {400, "InvalidHeaderValue",
	"The value for one of the HTTP headers is not in the correct format."},
	[ERR_INVALID_INPUT] = {400, "InvalidInput",
	"One of the request inputs is not valid."},
	[ERR_INVALID_RESOURCE_NAME] = {400, "InvalidResourceName",
	"The specifed resource name contains invalid characters."},
	[ERR_INVALID_URI] = {400, "InvalidUri",
	"The requested URI does not represent any resource on the server."},
	[ERR_INVALID_VALUE_TYPE] = {400, "InvalidValueType",
	"The value specified is not of the type it is declared to have."},
	[ERR_JSON_NOT_SUPPORTED] = {415, "JsonFormatNotSupported",
	"JSON format is not supported."},
	[ERR_KEY_TOO_LARGE] = {400, "KeyValueTooLarge",
		"The key property value exceeds the maximum allowed size "
	"(1 KiB, 512 UTF-16 characters)."},
	[ERR_LENGTH_MISSING] = {411, "MissingContentLengthHeader",
	"The Content-Length header was not specified."},
	[ERR_MEDIA_TYPE] = {415, "MediaTypeNotSupported",
	"The media type of the request body is not supported."},
	[ERR_METHOD_NOT_ALLOWED] = {405, "MethodNotAllowed",
	"The requested method is not allowed on the specified resource."},
	[ERR_MISSING_HEADER] = {400, "MissingRequiredHeader",
	"An HTTP header that's mandatory for this request is not specified."},
	[ERR_NOT_IMPLEMENTED] = {501, "NotImplemented",
	"The requested operation is not implemented on the specified resource."},
	[ERR_OUT_OF_RANGE] = {400, "OutOfRangeInput",
	"One of the request inputs is out of range."},
	[ERR_PROPERTIES_NEED_VALUE] = {400, "PropertiesNeedValue",
	"The values are not specified for all properties in the entity."},
	[ERR_PROPERTY_NAME_INVALID] = {400, "PropertyNameInvalid",
	"The property name is invalid."},
	[ERR_PROPERTY_NAME_TOO_LONG] = {400, "PropertyNameTooLong",
	"The property name exceeds the maximum allowed length (255)."},
	[ERR_PROPERTY_VALUE_TOO_LARGE] = {400, "PropertyValueTooLarge",
		"The property value exceeds the maximum allowed size (64KB). If the "
		"property value is a string, it is UTF-16 encoded and the maximum "
	"number of characters should be 32K or less."},
	[ERR_BODY_TOO_LARGE] = {413, "RequestBodyTooLarge",
		"The request body is too large and exceeds the maximum permissible "
	"limit."},
	[ERR_RESOURCE_NOT_FOUND] = {404, "ResourceNotFound",
	"The specified resource does not exist."},
	[ERR_TABLE_EXISTS] = {409, "TableAlreadyExists",
	"The table specified already exists."},
	[ERR_TABLE_NOT_FOUND] = {404, "TableNotFound",
	"The table specified does not exist."},
	[ERR_TOO_MANY_PROPERTIES] = {400, "TooManyProperties",
		"The entity contains more properties than allowed. Each entity can "
		"include up to 252 properties to store data. Each entity also has 3 "
	"system properties."},
	[ERR_CONDITION_NOT_MET] = {412, "UpdateConditionNotSatisfied",
	"The update condition specified in the request was not satisfied."},
	[ERR_XMETHOD_INCORRECT_COUNT] = {400, "XMethodIncorrectCount",
	"More than one X-HTTP-Method is specified."},
	[ERR_XMETHOD_INCORRECT_VALUE] = {400, "XMethodIncorrectValue",
	"The value specified for X-HTTP-Method is incorrect."},
	[ERR_XMETHOD_NOT_USING_POST] = {400, "XMethodNotUsingPost",
	"The request uses X-HTTP-Method with a verb other than POST."},
	[ERR_SERVER_BUSY] = {503, "ServerBusy",
	"The server is busy."},
	[ERR_OPERATION_TIMED_OUT] = {500, "OperationTimedOut",
	"Operation could not be completed within the specified time."},
	[ERR_AUTHORIZATION_FAILURE] = {403, "AuthorizationFailure",
	"This request is not authorized to perform this operation."},
	[ERR_AUTHORIZATION_PERMISSION] = {403, "AuthorizationPermissionMismatch",
		"This request is not authorized to perform this operation using this "
	"permission."},
	[ERR_AUTHORIZATION_PROTOCOL] = {403, "AuthorizationProtocolMismatch",
		"This request is not authorized to perform this operation using this "
	"protocol."},
	[ERR_AUTHORIZATION_RESOURCE_TYPE] = {403,
		"AuthorizationResourceTypeMismatch",
		"This request is not authorized to perform this operation using this "
	"resource type."},
	[ERR_AUTHORIZATION_SERVICE] = {403, "AuthorizationServiceMismatch",
		"This request is not authorized to perform this operation using this "
	"service."},
	[ERR_AUTHORIZATION_SOURCE_IP] = {403, "AuthorizationSourceIPMismatch",
		"This request is not authorized to perform this operation using this "
	"source IP."},
	[ERR_READ_ONLY_SECONDARY] = {403, "InsufficientAccountPermissions",
		"The account being accessed does not have sufficient permissions to "
	"execute this operation."},
	[ERR_XML_DOCUMENT] = {400, "InvalidXmlDocument",
	"XML specified is not syntactically valid."},
	[ERR_XML_NODE_VALUE] = {400, "InvalidXmlNodeValue",
		"The value for one of the XML nodes is not in the correct format."},
	[ERR_QUERY_PARAMETER] = {400, "InvalidQueryParameterValue",
		"Value for one of the query parameters specified in the request URI "
	"is invalid."},
	[ERR_QUERY_PARAMETER_RANGE] = {400, "OutOfRangeQueryParameterValue",
		"One of the query parameters specified in the request URI is outside "
	"the permissible range."},
	[ERR_QUERY_PARAMETER_MISSING] = {400, "MissingRequiredQueryParameter",
		"A query parameter that's mandatory for this request is not "
	"specified."},
	[ERR_QUEUE_EXISTS] = {409, "QueueAlreadyExists",
	"The specified queue already exists."},
	[ERR_QUEUE_NOT_FOUND] = {404, "QueueNotFound",
	"The specified queue does not exist."},
	[ERR_MESSAGE_NOT_FOUND] = {404, "MessageNotFound",
	"The specified message does not exist."},
	[ERR_MESSAGE_TOO_LARGE] = {400, "MessageTooLarge",
	"The message exceeds the maximum allowed size."},
	[ERR_METADATA] = {400, "InvalidMetadata",
		"The metadata specified is invalid. It has characters that are not "
	"permitted."},
	[ERR_VERB] = {405, "UnsupportedHttpVerb",
	"The resource doesn't support specified Http Verb."},
};

const ErrInfo *
error_info(ErrCode code)
{
	return &error_table[code];
}

const char *
status_text(int status)
{
	static const struct
	{
		int			status;
		const char *text;
	}			texts[] = {
		{200, "OK"}, {201, "Created"}, {202, "Accepted"},
		{204, "No Content"}, {304, "Not Modified"}, {400, "Bad Request"},
		{401, "Unauthorized"}, {403, "Forbidden"}, {404, "Not Found"}, {405, "Method Not Allowed"},
		{409, "Conflict"}, {411, "Length Required"}, {412, "Precondition Failed"},
		{413, "Request Entity Too Large"}, {415, "Unsupported Media Type"},
		{429, "Too Many Requests"}, {500, "Internal Server Error"},
		{501, "Not Implemented"}, {503, "Service Unavailable"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		if (texts[i].status == status)
			return texts[i].text;
	}
	return "Unknown";
}

static void
put_xml(Buf *out, const char *s)
{
	for (; *s; s++)
	{
		if (*s == '<')
			BUF_LIT(out, "&lt;");
		else if (*s == '&')
			BUF_LIT(out, "&amp;");
		else
			buf_putc(out, *s);
	}
}

void
error_body(Buf *out, bool xml, const char *code, const char *message,
		   const char *request_id)
{
	char		now[TIMESTAMP_MAX];
	Buf			text = {0};

	timestamp_format7(now, timestamp_now());
	buf_printf(&text, "%s\nRequestId:%s\nTime:%s", message, request_id, now);
	buf_putc(&text, '\0');
	if (xml)
	{
		BUF_LIT(out, "<?xml version=\"1.0\" encoding=\"utf-8\" "
				"standalone=\"yes\"?><error xmlns=\"http://schemas.microsoft"
				".com/ado/2007/08/dataservices/metadata\"><code>");
		put_xml(out, code);
		BUF_LIT(out, "</code><message xml:lang=\"en-US\">");
		put_xml(out, text.p);
		BUF_LIT(out, "</message></error>");
	}
	else
	{
		BUF_LIT(out, "{\"odata.error\":{\"code\":\"");
		buf_puts(out, code);
		BUF_LIT(out, "\",\"message\":{\"lang\":\"en-US\",\"value\":");
		json_string(out, (Span) {text.p, text.n - 1});
		BUF_LIT(out, "}}}");
	}
	buf_free(&text);
}

void
error_body_front_end(Buf *out, const char *code, const char *message,
					 const char *request_id)
{
	char		now[TIMESTAMP_MAX];

	timestamp_format7(now, timestamp_now());
	BUF_LIT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?><m:error "
			"xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices"
			"/metadata\"><m:code>");
	put_xml(out, code);
	BUF_LIT(out, "</m:code><m:message xml:lang=\"en-US\">");
	put_xml(out, message);
	buf_printf(out, "\nRequestId:%s\nTime:%s</m:message></m:error>",
			   request_id, now);
}

void
error_body_plain(Buf *out, const char *code, const char *message,
				 const char *request_id)
{
	char		now[TIMESTAMP_MAX];

	timestamp_format7(now, timestamp_now());
	BUF_LIT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>");
	put_xml(out, code);
	BUF_LIT(out, "</Code><Message>");
	put_xml(out, message);
	buf_printf(out, "\nRequestId:%s\nTime:%s</Message></Error>", request_id,
			   now);
}
