/// What proxies have said of whom a connection serves.
///
/// An object, so that a connection without a proxy pays one word for it.
final class ProxiedPeer {
  /// Whom the PROXY header named; `nil` when it named nobody.
  var announced: PeerAddress?
  /// Whom the fields of the request at hand named; `nil` when they named nobody.
  var forwarded: PeerAddress?
}
