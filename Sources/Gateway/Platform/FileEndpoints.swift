import Channels
import Configuration
import ParleyProtocol
import Crypto
import Store
import Transport
import Uploads

/// The files of users and messages, below `/v3/parley/files`.
enum FileEndpoints {
  /// `GET …?user_id=&channel_url=`: complete files, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let listing = FileListing(
      ofUser: try call.query.optionalUserID("user_id"),
      inChannel: try call.query.optionalChannelURL(), limit: try call.query.pageSize(),
      token: try call.query.pageToken(),
      as: JSONPageEncoder<FileDetails> { $0.encode(into: &$1) })
    call.perform(listing, completion) { $0.encoded(as: "files") }
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

  /// `DELETE …/{file_id}`: removes a file that is in no message.
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
    let (caller, services) = (call.caller, call.services)
    services.store.countFiles(of: userID, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      completion(result.serviceResult) { usage, writer in
        writer.object {
          $0.member("files", usage.count)
          $0.member("bytes", usage.byteCount)
        }
      }
    }
  }
}

/// The encryption of files, below `/v3/parley/files`, and the keys of users.
enum FileEncryptionEndpoints {
  /// `GET …/encryption`: how files are stored, and the current master key.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    show(call.services, to: call.caller, completion)
  }

  /// `POST …/rotate_key`: makes a new master key current, and wraps all keys with it.
  static func rotate(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (caller, services) = (call.caller, call.services)
    try services.vault.rotate { result in
      switch result {
      case .success: show(services, to: caller, completion)
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `POST …/encrypt_all`: starts to encrypt the files that are stored in plaintext.
  static func encryptAll(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    _ = try call.services.vault.mustSeal(true)
    call.services.vault.encryptAll()
    show(call.services, to: call.caller, completion)
  }

  /// `POST /v3/users/{user_id}/file_key`: a key with which a back end reads files for a user.
  static func giveKey(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let services = call.services
    services.store.perform(AccountLookup(userID)) { result in
      completion(
        result.serviceResult.existing(userID).flatMap {
          account -> Result<Event.FileKey, ServiceError> in
          guard account.isActive else { return .failure(.deactivated(userID)) }
          let key = services.vault.userKeys.key(
            of: userID, since: account.fileKeysSince, at: services.clock.now)
          guard let key else {
            return .failure(
              services.vault.masterKeys.problem?.refusal
                ?? .notCombinable("user_id", "files are off"))
          }
          return .success(key)
        }
      ) { key, writer in writer.object { key.encode(into: &$0) } }
    }
  }

  private static func show(
    _ services: GatewayServices, to caller: QueryCaller, _ completion: Completion
  ) {
    let vault = services.vault
    let keyID = vault.masters?.current.id ?? ""
    let counting = SealedFileCounting(currentID: keyID)
    services.store.perform(counting, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      completion(result.serviceResult) { count, writer in
        writer.object {
          $0.member("mode", vault.settings.files.encryption.rawValue)
          $0.member("key_id", keyID)
          $0.member("clear", count.clear)
          $0.member("encrypted", count.sealed)
          $0.member("to_rewrap", count.toRewrap)
          $0.member("problem", vault.masterKeys.problem?.description ?? "")
        }
      }
    }
  }
}

extension PlatformCall {
  /// The file id in the path.
  ///
  /// An id that no file can have is reported as not found.
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
      $0.member("thumbnail_failure", thumbnails.failure ?? "")
      $0.member(
        "thumbnails",
        array: {
          for thumbnail in thumbnails.made {
            $0.object {
              $0.member("type", thumbnail.type)
              $0.member("size", thumbnail.size)
              $0.member("max_width", thumbnail.bounds.maxWidth)
              $0.member("max_height", thumbnail.bounds.maxHeight)
              $0.member("real_width", thumbnail.width)
              $0.member("real_height", thumbnail.height)
            }
          }
        })
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
