import HTTP1
import Reactor

/// A file on its way to the peer behind the head of a response.
struct OutgoingFile {
  /// The largest number of bytes that the connection moves in one turn.
  static let slice = 262_144
  /// The number of bytes read into memory at a time when they have to be encrypted.
  static let step = 65_536

  /// The rest of the file.
  var file: FileSpan
  /// The request that it answers, with what came behind that.
  var pending: PendingRequest
  var persistence: ConnectionPersistence
}
