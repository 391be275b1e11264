import Channels
import ParleyProtocol
import Store
import Transport

/// The files of users and messages, below `/v3/parley/files`.
enum FileEndpoints {
  /// `GET …?user_id=&channel_url=`: complete files, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let listing = FileListing(
      ofUser: try call.query.optionalUserID("user_id"),
      inChannel: try call.query.optionalChannelURL(), limit: try call.query.pageSize(),
      token: try call.query.pageToken(),
      as: JSONPageEncoder<FileDetails> { $0.encode(into: &$1) })
    let (caller, services) = (call.caller, call.services)
    services.store.perform(listing, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      completion(result.serviceResult.map { $0.encoded(as: "files") })
    }
  }

  /// `GET …/{file_id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.fileID
    call.services.store.perform(FileDetailsLookup(id)) { result in
      completion(
        result.serviceResult.flatMap { found in
          found.map { .success($0) } ?? .failure(.notFound(.file, id))
        }
      ) { $0.encode(into: &$1) }
    }
  }

  /// `DELETE …/{file_id}`: removes a file that no message has.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = try call.fileID
    call.services.store.perform(UnusedFileRemoval(id)) { result in
      switch result.serviceResult {
      case .failure(let error): completion.fail(error)
      case .success(.removed): completion { $0.object { _ in } }
      case .success(.absent): completion.fail(.notFound(.file, id))
      case .success(.inUse):
        completion.fail(.notAllowed("a message or a picture has the file: delete that"))
      }
    }
  }

  /// `GET …/usage?user_id=`: the number of files and their bytes.
  static func countUsage(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.query.optionalUserID("user_id")
    call.perform(FileUsageLookup(of: userID), completion) { usage, writer in
      writer.object {
        $0.member("files", usage.count)
        $0.member("bytes", usage.byteCount)
      }
    }
  }
}

extension PlatformCall {
  /// The file that the path names; an id that no file can have is not found.
  fileprivate var fileID: String {
    get throws(ServiceError) {
      let id = arguments["file_id"]
      guard FileID.isValid(id) else { throw .notFound(.file, id) }
      return id
    }
  }
}

extension FileDetails {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("file_id", file.id)
      $0.member("user_id", userID)
      $0.member("name", file.name)
      $0.member("type", file.type)
      $0.member("size", file.size)
      $0.member("created_at", createdAt)
      $0.member("expires_at", messages.isEmpty ? expiresAt ?? 0 : 0)
      $0.member(
        "messages",
        array: {
          for holder in messages {
            $0.object {
              $0.member("channel_url", holder.channelURL)
              $0.member("message_id", holder.messageID)
            }
          }
        })
    }
  }
}
