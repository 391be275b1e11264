import CDocuments

/// The documents that are served unchanged, whose files the C compiler embeds in the program.
enum DocumentContent {
  static let apiPage = bytes(of: cdocument_api_html())
  static let asyncAPI = bytes(of: cdocument_asyncapi_json())
  static let dashboard = bytes(of: cdocument_dashboard_html())
  static let demonstration = bytes(of: cdocument_index_html())
  static let openAPI = bytes(of: cdocument_openapi_json())
  static let clientModule = bytes(of: cdocument_parley_js())
  static let pushWorker = bytes(of: cdocument_parley_push_js())
  static let clientTypes = bytes(of: cdocument_parley_d_ts())
  static let clientStore = bytes(of: cdocument_parley_store_js())
  static let clientStoreTypes = bytes(of: cdocument_parley_store_d_ts())
  static let clientStreams = bytes(of: cdocument_parley_streams_js())
  static let clientStreamsTypes = bytes(of: cdocument_parley_streams_d_ts())
  static let clientViews = bytes(of: cdocument_parley_views_js())
  static let clientViewsTypes = bytes(of: cdocument_parley_views_d_ts())
  static let clientReact = bytes(of: cdocument_parley_react_js())
  static let clientReactTypes = bytes(of: cdocument_parley_react_d_ts())
  static let clientVue = bytes(of: cdocument_parley_vue_js())
  static let clientVueTypes = bytes(of: cdocument_parley_vue_d_ts())
  static let clientMock = bytes(of: cdocument_parley_mock_js())
  static let clientMockTypes = bytes(of: cdocument_parley_mock_d_ts())

  /// The pointer refers to a constant of `count` bytes that exists for as long as the program runs.
  private static func bytes(of document: cdocument) -> [UInt8] {
    Array(UnsafeBufferPointer(start: document.bytes, count: document.count))
  }
}
