#pragma once
#include <stddef.h>

// The files in Documents, compiled in: as an array in Swift they take the compiler a minute.

/// The content of a file, there for as long as the program runs.
struct cdocument {
    const unsigned char *bytes;
    size_t count;
};

struct cdocument cdocument_api_html(void);
struct cdocument cdocument_asyncapi_json(void);
struct cdocument cdocument_dashboard_html(void);
struct cdocument cdocument_index_html(void);
struct cdocument cdocument_openapi_json(void);
struct cdocument cdocument_parley_d_ts(void);
struct cdocument cdocument_parley_js(void);
struct cdocument cdocument_parley_push_js(void);
struct cdocument cdocument_parley_store_d_ts(void);
struct cdocument cdocument_parley_store_js(void);
struct cdocument cdocument_parley_streams_d_ts(void);
struct cdocument cdocument_parley_streams_js(void);
struct cdocument cdocument_parley_views_d_ts(void);
struct cdocument cdocument_parley_views_js(void);
struct cdocument cdocument_parley_react_d_ts(void);
struct cdocument cdocument_parley_react_js(void);
struct cdocument cdocument_parley_vue_d_ts(void);
struct cdocument cdocument_parley_vue_js(void);
struct cdocument cdocument_parley_mock_d_ts(void);
struct cdocument cdocument_parley_mock_js(void);
