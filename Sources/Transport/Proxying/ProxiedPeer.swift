/// The client addresses that proxies have named for a connection.
///
/// An object, so that a connection without a proxy pays one word for it.
final class ProxiedPeer {
  /// The address in the PROXY header; `nil` when it names none.
  var announced: PeerAddress?
  /// The address in the fields of the present request; `nil` when they name none.
  var forwarded: PeerAddress?
}
