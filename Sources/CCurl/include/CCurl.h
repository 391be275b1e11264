#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions: one function for each type of argument.

CURLcode parley_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode parley_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode parley_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode parley_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode parley_curl_set_write_function(CURL *easy, curl_write_callback function);
CURLcode parley_curl_set_header_function(CURL *easy, curl_write_callback function);
CURLcode parley_curl_set_read_function(CURL *easy, curl_read_callback function);
CURLcode parley_curl_set_seek_function(CURL *easy, curl_seek_callback function);
CURLcode parley_curl_set_opensocket_function(CURL *easy, curl_opensocket_callback function);
CURLcode parley_curl_set_prerequest_function(CURL *easy, curl_prereq_callback function);
CURLcode parley_curl_set_mime(CURL *easy, curl_mime *value);
CURLcode parley_curl_set_progress_function(CURL *easy, curl_xferinfo_callback function);
CURLcode parley_curl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode parley_curl_get_string(CURL *easy, CURLINFO info, const char **value);
CURLcode parley_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLMcode parley_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// Refuses certificates without a name or address among their subject alternative names, which libcurl accepts if
/// their common name is right. Fails if libcurl does not use OpenSSL.
CURLcode parley_curl_require_alternative_names(CURL *easy);

/// The result of a transfer that `message` reports as done; a negative number for other messages.
int parley_curl_done_result(const CURLMsg *message);
