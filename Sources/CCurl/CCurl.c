#include "CCurl.h"
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

CURLcode parley_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode parley_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode parley_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode parley_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode parley_curl_set_write_function(CURL *easy, curl_write_callback function) {
  return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}

CURLcode parley_curl_set_header_function(CURL *easy, curl_write_callback function) {
  return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
}

CURLcode parley_curl_set_read_function(CURL *easy, curl_read_callback function) {
  return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}

CURLcode parley_curl_set_seek_function(CURL *easy, curl_seek_callback function) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

CURLcode parley_curl_set_opensocket_function(CURL *easy, curl_opensocket_callback function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

CURLcode parley_curl_set_prerequest_function(CURL *easy, curl_prereq_callback function) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

CURLcode parley_curl_set_mime(CURL *easy, curl_mime *value) {
  return curl_easy_setopt(easy, CURLOPT_MIMEPOST, value);
}

CURLcode parley_curl_set_progress_function(CURL *easy, curl_xferinfo_callback function) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

CURLcode parley_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

CURLcode parley_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}

CURLcode parley_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

CURLMcode parley_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

int parley_curl_done_result(const CURLMsg *message) {
  return message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}

static int has_alternative_names(X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  int found = 0;
  for (int index = 0; index < sk_GENERAL_NAME_num(names); index += 1) {
    int type = sk_GENERAL_NAME_value(names, index)->type;
    if (type == GEN_DNS || type == GEN_IPADD) found = 1;
  }
  GENERAL_NAMES_free(names);
  return found;
}

static int verify_certificate(int is_valid, X509_STORE_CTX *store) {
  if (!is_valid || X509_STORE_CTX_get_error_depth(store) != 0) return is_valid;
  if (has_alternative_names(X509_STORE_CTX_get_current_cert(store))) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  return 0;
}

static CURLcode set_verification(CURL *easy, void *context, void *unused) {
  (void)easy;
  (void)unused;
  SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), verify_certificate);
  return CURLE_OK;
}

CURLcode parley_curl_require_alternative_names(CURL *easy) {
  curl_ssl_ctx_callback function = set_verification;
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}
