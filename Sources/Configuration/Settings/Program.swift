/// The programs that have settings, each its own selection of them.
package enum Program: Sendable, CaseIterable {
  /// `parleyd`.
  case gateway
  /// `parley-unfurl`.
  case unfurlService

  var table: SettingsTable {
    switch self {
    case .gateway: .gateway
    case .unfurlService: .unfurlService
    }
  }
}
