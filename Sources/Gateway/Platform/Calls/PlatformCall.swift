import Channels
import ParleyProtocol
import Store

/// A call of the Platform API on its way through the endpoint that its path leads to.
struct PlatformCall {
  /// Answers a call, once, on any thread.
  typealias Reply = @Sendable (Result<[UInt8], ServiceError>) -> Void
  /// What a call that is in order still has to have done.
  typealias Work = (@escaping Reply) -> Void

  let node: Node
  let request: PlatformRequest
  /// What stands in the path where its route leaves it open.
  let arguments: [String]

  /// Has something done with the channel that the path names, where it is at home.
  func inChannel(
    _ body: @escaping @Sendable (HomeChannel, @escaping Reply) -> Void
  ) throws(ServiceError) -> Work {
    let url = try channelURL
    return { reply in
      node.post(toChannel: url) { node in
        node.channels.withChannel(url) { result in
          switch result {
          case .success(let channel): body(channel, reply)
          case .failure(let error): reply(.failure(error))
          }
        }
      }
    }
  }

  /// Gives a command to the channel that the path names, and answers with what is written of the
  /// judge's answer.
  func perform(
    _ command: ChannelCommand,
    _ encode: @escaping @Sendable (JudgeAnswer, inout JSONWriter) -> Void
  ) throws(ServiceError) -> Work {
    try inChannel { channel, reply in
      channel.perform(command) { _, result in reply(result.encoded(encode)) }
    }
  }

  /// The same for a command that has nothing to say.
  func perform(_ command: ChannelCommand) throws(ServiceError) -> Work {
    try perform(command) { $1.object { _ in } }
  }

  /// The channel that the path names; what cannot be a channel's name is one that there is not.
  var channelURL: String {
    get throws(ServiceError) {
      let url = arguments[0]
      do throws(ServiceError) { try ChannelURL.check(url) } catch {
        throw .notFound(.channel, url)
      }
      return url
    }
  }

  /// The user at a place in the path; what cannot be a user's id is one that there is not.
  func userID(at index: Int) throws(ServiceError) -> String {
    let id = arguments[index]
    do throws(ServiceError) { try UserID.check(id) } catch { throw .notFound(.user, id) }
    return id
  }

  /// The message that the path names after its channel.
  var messageID: Int64 {
    get throws(ServiceError) {
      guard let id = Int64(arguments[1]), Limits.messageIDs.contains(id) else {
        throw .notFound(.message, arguments[1])
      }
      return id
    }
  }

  /// Looks something up in the store and answers with what is written of it.
  func lookUp<Value: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> Value,
    _ encode: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) -> Work {
    let store = node.services.store
    return { reply in
      store.lookUp(job) { result in reply(result.serviceResult.encoded(encode)) }
    }
  }

  /// Changes the store and answers with what is written of it.
  func write<Value: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> Value,
    _ encode: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) -> Work {
    let store = node.services.store
    return { reply in
      store.write(job) { result in reply(result.serviceResult.encoded(encode)) }
    }
  }
}

extension Result where Failure == ServiceError {
  /// The body of the answer.
  func encoded(_ encode: (Success, inout JSONWriter) -> Void) -> Result<[UInt8], ServiceError> {
    map { value in JSONWriter.bytes { encode(value, &$0) } }
  }

  /// The body of an answer that has nothing to say: `{}`.
  var encodedEmpty: Result<[UInt8], ServiceError> { encoded { $1.object { _ in } } }
}
