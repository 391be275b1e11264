#include "CDocuments.h"

// Compilers that Swift brings know the directive in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A file is embedded by a directive, which a macro cannot have in it.
#define DOCUMENT(name)                                      \
    struct cdocument cdocument_##name(void) {               \
        return (struct cdocument){name, sizeof name};       \
    }

static const unsigned char api_html[] = {
#embed "Documents/api.html"
};
DOCUMENT(api_html)

static const unsigned char asyncapi_json[] = {
#embed "Documents/asyncapi.json"
};
DOCUMENT(asyncapi_json)

static const unsigned char dashboard_html[] = {
#embed "Documents/dashboard.html"
};
DOCUMENT(dashboard_html)

static const unsigned char index_html[] = {
#embed "Documents/index.html"
};
DOCUMENT(index_html)

static const unsigned char openapi_json[] = {
#embed "Documents/openapi.json"
};
DOCUMENT(openapi_json)

static const unsigned char parley_d_ts[] = {
#embed "Documents/parley.d.ts"
};
DOCUMENT(parley_d_ts)

static const unsigned char parley_js[] = {
#embed "Documents/parley.js"
};
DOCUMENT(parley_js)

static const unsigned char parley_push_js[] = {
#embed "Documents/parley-push.js"
};
DOCUMENT(parley_push_js)

static const unsigned char parley_store_d_ts[] = {
#embed "Documents/parley-store.d.ts"
};
DOCUMENT(parley_store_d_ts)

static const unsigned char parley_store_js[] = {
#embed "Documents/parley-store.js"
};
DOCUMENT(parley_store_js)

static const unsigned char parley_streams_d_ts[] = {
#embed "Documents/parley-streams.d.ts"
};
DOCUMENT(parley_streams_d_ts)

static const unsigned char parley_streams_js[] = {
#embed "Documents/parley-streams.js"
};
DOCUMENT(parley_streams_js)

static const unsigned char parley_views_d_ts[] = {
#embed "Documents/parley-views.d.ts"
};
DOCUMENT(parley_views_d_ts)

static const unsigned char parley_views_js[] = {
#embed "Documents/parley-views.js"
};
DOCUMENT(parley_views_js)

static const unsigned char parley_react_d_ts[] = {
#embed "Documents/parley-react.d.ts"
};
DOCUMENT(parley_react_d_ts)

static const unsigned char parley_react_js[] = {
#embed "Documents/parley-react.js"
};
DOCUMENT(parley_react_js)

static const unsigned char parley_vue_d_ts[] = {
#embed "Documents/parley-vue.d.ts"
};
DOCUMENT(parley_vue_d_ts)

static const unsigned char parley_vue_js[] = {
#embed "Documents/parley-vue.js"
};
DOCUMENT(parley_vue_js)

static const unsigned char parley_mock_d_ts[] = {
#embed "Documents/parley-mock.d.ts"
};
DOCUMENT(parley_mock_d_ts)

static const unsigned char parley_mock_js[] = {
#embed "Documents/parley-mock.js"
};
DOCUMENT(parley_mock_js)
