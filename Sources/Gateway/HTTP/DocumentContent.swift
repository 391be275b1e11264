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

  /// The pointer refers to a constant of `count` bytes that exists for as long as the program runs.
  private static func bytes(of document: cdocument) -> [UInt8] {
    Array(UnsafeBufferPointer(start: document.bytes, count: document.count))
  }
}
