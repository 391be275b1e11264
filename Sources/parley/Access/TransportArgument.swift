internal import ArgumentParser
internal import ParleyClient

/// The transport of a session, as an option.
enum TransportArgument: String, ExpressibleByArgument, CaseIterable {
  case automatic
  case websocket
  case stream

  var option: TransportOption {
    switch self {
    case .automatic: .automatic
    case .websocket: .webSocket
    case .stream: .stream
    }
  }
}
