internal import ArgumentParser
internal import Configuration

/// Whose settings are meant.
enum ProgramName: String, ExpressibleByArgument, CaseIterable {
  case gateway
  case unfurl

  /// The program with its table of settings.
  var program: Program {
    switch self {
    case .gateway: .gateway
    case .unfurl: .unfurlService
    }
  }
}
