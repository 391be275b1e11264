import Channels
import Configuration
import HTTP
import Logging
import ParleyProtocol
import Reactor
import Store
import Transport
import Uploads

/// A received form: its fields, and its file, which is completed before the call is carried out.
struct ReceivedForm {
  private let exchange: ExchangeAddress
  let purpose: FormPurpose
  private let address: FileAddress
  var form = UploadForm()
  var part: MultipartPart?
  var upload: (any FileUpload)?
  /// The wrapped key of a file that is stored encrypted.
  var seal: FileSeal?
  var fileSize = 0
  /// The space reserved for the file; `nil` while the available space or the file's size is unknown.
  var room: RoomReservation?

  init(_ exchange: ExchangeAddress, _ purpose: FormPurpose, _ address: FileAddress) {
    self.exchange = exchange
    self.purpose = purpose
    self.address = address
  }

  /// Gives up the file.
  mutating func discard() {
    upload?.discard()
    upload = nil
    room = nil
  }

  /// Carries out the call, which answers the exchange.
  mutating func carryOut(on shard: Shard) throws(ServiceError) {
    switch purpose {
    case .message(let channelURL, let kind): try send(to: kind, channelURL, on: shard)
    case .picture(let form): try keep(form, on: shard)
    }
  }

  /// Sends the message, after its file, if any, is safe on disk.
  private mutating func send(
    to kind: ChannelKind, _ channelURL: String, on shard: Shard
  ) throws(ServiceError) {
    let completion = Completion(exchange, shard.services.shards)
    let services = shard.services
    let limits = shard.settings.limits.customData
    guard let upload else {
      let submission = try MessageSubmission(form.fields(nil, limits: limits))
      return MessageEndpoints.send(submission, to: kind, channelURL, services, completion)
    }
    let record = try record(of: upload)
    let file = MessageFile(
      url: address.url(ofFile: record.id, FileName(record.name)), name: record.name,
      type: record.type, size: record.size, requiresAuthorization: seal != nil)
    let fields = try form.fields(file, limits: limits)
    let mustSeal = try fields.boolean("require_auth") ?? false
    guard seal != nil || !mustSeal else {
      _ = try services.vault.mustSealForMessage(true)
      throw .notCombinable("require_auth", "the field must come before the file")
    }
    var submission = try MessageSubmission(fields)
    guard submission.draft.type == .file else {
      throw .invalid(
        "message_type", submission.draft.type.rawValue, expected: "FILE with a file")
    }
    submission.draft.file?.id = record.id
    // Thumbnails that a sender gives by address belong to files stored elsewhere.
    submission.draft.file?.thumbnails = []
    submission.draft.file?.requiresAuthorization = seal != nil
    // From here on, completing the upload reports every failure, once.
    self.upload = nil
    complete(upload, in: services.uploads.room) { [submission] result in
      switch result {
      case .success:
        MessageEndpoints.sendUploaded(
          submission, with: record, to: kind, channelURL, services, completion)
      case .failure(let error):
        upload.discard()
        completion.fail(services.refusal(ofFailed: error))
      }
    }
  }

  /// Carries out a call with the address of its picture, after storing it on disk and in the store.
  ///
  /// A picture that in the end belongs to no channel or user is removed with the unused uploads.
  private mutating func keep(_ picture: PictureForm, on shard: Shard) throws(ServiceError) {
    guard let upload else { return picture.proceed(shard, try picture.body(form, picture: nil)) }
    guard fileSize > 0 else {
      throw .invalid(picture.holder.fileField, "", expected: "a file that is not empty")
    }
    let record = try record(of: upload)
    let url = address.url(ofFile: record.id, FileName(record.name))
    let body = try picture.body(form, picture: url)
    let (services, path) = (shard.services, shard.returnPath)
    let completion = Completion(exchange, services.shards)
    self.upload = nil
    complete(upload, in: services.uploads.room) { result in
      if case .failure(let error) = result {
        upload.discard()
        return completion.fail(services.refusal(ofFailed: error))
      }
      services.note(record, of: "", completion) {
        services.store.perform(PictureClaim(record.id)) { result in
          switch result.serviceResult {
          case .success: path.resume { shard in picture.proceed(shard, body) }
          case .failure(let error): completion.fail(error)
          }
        }
      }
    }
  }

  /// Completes a file, if there is room for it.
  private mutating func complete(
    _ upload: any FileUpload, in rooms: FileRoom,
    then completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let (byteCount, known) = (Int64(fileSize), room)
    room = nil
    rooms.whenCounted {
      // The size of the file or the available space may have been unknown when the file began to arrive.
      guard let room = known ?? rooms.reserve(byteCount, for: upload.id) else {
        return completion(.failure(PartialFileFailure.full))
      }
      upload.complete { result in
        if case .success = result { room.note(stored: byteCount) }
        completion(result)
      }
    }
  }

  private func record(of upload: any FileUpload) throws(ServiceError) -> FileRecord {
    let name = try form.text("file_name") ?? part?.fileName ?? ""
    let type = try form.text("file_type")
    let fileName = FileName(name)
    return FileRecord(
      id: upload.id, name: fileName.text, type: type ?? part?.contentType ?? "",
      size: Int64(fileSize), url: address.storedURL(ofFile: upload.id, fileName),
      seal: seal)
  }
}

extension ServiceError {
  fileprivate static let uploadFailed = ServiceError(
    .internalError, "the file can't be stored: nothing was sent, try again later")
}

extension GatewayServices {
  /// The answer to a form whose file could not be stored.
  func refusal(ofFailed error: any Error) -> ServiceError {
    guard PartialFileFailure(error) != .full else { return .storageFull }
    logger.error("an uploaded file cannot be stored", metadata: ["reason": "\(error)"])
    return .uploadFailed
  }
}
