internal import Configuration
internal import Foundation
internal import Logging

/// The place where the gateway is joined to the command line; a build without it cannot serve.
enum GatewayProcess {
  /// Refuses to start, with the exit status for a service that is not available.
  static func run(settings: Settings) -> Int32 {
    Logger(label: "parleyd").critical("this build has no gateway")
    return EX_UNAVAILABLE
  }
}
