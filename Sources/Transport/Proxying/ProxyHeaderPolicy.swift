package import Basics

/// The rule for PROXY headers on a listener's connections.
package enum ProxyHeaderPolicy: Sendable {
  /// Nobody: they begin with what the client says.
  case none
  /// A proxy, with a PROXY header; connections without one are closed.
  ///
  /// With networks named, so are those from elsewhere.
  case required(from: [Network])
}
