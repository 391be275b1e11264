import Channels
import ShardMessages

/// Which channels are at home on which server, in a deployment of several.
///
/// One server has none: all its channels are at home on it.
protocol ChannelResidence: AnyObject, Sendable {
  /// The number of this server.
  var server: UInt16 { get }

  /// The server that a channel is at home on.
  func home(ofChannel url: String) -> UInt16

  /// Sends a message to the server of its receiver, unless that is this one.
  ///
  /// - Returns: Whether the message was sent.
  func forward(_ message: ShardMessage) -> Bool
}

extension GatewayServices {
  /// The number of this server; 0 in a deployment of one.
  var server: UInt16 { residence?.server ?? 0 }

  /// The server that a channel is at home on.
  func home(ofChannel url: String) -> UInt16 { residence?.home(ofChannel: url) ?? 0 }
}
