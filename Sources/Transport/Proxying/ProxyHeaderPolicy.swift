package import Basics

/// Whether somebody says whom a listener's connections are from before they begin.
package enum ProxyHeaderPolicy: Sendable {
  /// Nobody: they begin with what the client says.
  case none
  /// A proxy, with a PROXY header; connections without one are closed.
  ///
  /// With networks named, so are those from elsewhere.
  case required(from: [Network])
}
