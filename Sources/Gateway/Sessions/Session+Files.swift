import Channels
import ParleyProtocol
import Reactor
import Store
import Uploads

/// The calls about files of the session's user.
extension Session {
  func create(_ command: FileCreate, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let uploads = shard.services.uploads
    do throws(ServiceError) {
      let base = try FileAddress(publicURL: uploads.publicURL, namedBase: shard.bases[base])
      let path = shard.returnPath
      try uploads.admit(command, of: caller.user.id)
      asking(
        .fileCreate, about: command, command.hookParameters, caller, address
      ) { changes, command, limits throws(ServiceError) in
        try command.changed(by: changes, limits)
      } then: { shard, command in
        uploads.createAdmitted(command, for: caller.user.id, at: base) { result in
          let outcome = result.map { $0.encoded(uploads.view($0.record)) }
          path.resume { $0.reply(to: address, outcome) }
        }
      }
    } catch {
      reply(.failure(error), to: address)
    }
  }

  func view(_ command: FileReference, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let uploads = shard.services.uploads
    lookUp([command.fileID]) { shard, result in
      shard.reply(
        to: address,
        result.flatMap { records in
          guard let record = records[command.fileID], record.userID == caller.user.id,
            record.status(at: shard.services.clock.now) != .expired
          else { return .failure(.notFound(.file, command.fileID)) }
          return .success(uploads.view(record).encodedAsResult())
        })
    }
  }

  /// Lists the user's uploads that are not complete, or whose file is in no message.
  func list(_ command: FileList, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let (uploads, path) = (shard.services.uploads, shard.returnPath)
    let listing = UploadListing(
      of: caller.user.id, limit: command.limit, token: command.token, at: shard.services.clock.now,
      as: JSONPageEncoder<UploadRecord> { uploads.view($0).encode(into: &$1) })
    shard.services.store.perform(listing, for: .user(caller.user.id)) {
      [services = shard.services] result, cost in
      QueryCaller.session(caller).pay(cost, to: services)
      path.resume { $0.reply(to: address, result.serviceResult.map { $0.encoded(as: "files") }) }
    }
  }

  func cancel(_ command: FileReference, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let services = shard.services
    lookUp([command.fileID]) { shard, result in
      let path = shard.returnPath
      switch result {
      case .failure(let error): shard.reply(to: address, .failure(error))
      case .success(let records):
        guard let record = records[command.fileID], record.userID == caller.user.id else {
          return shard.reply(to: address, .failure(.notFound(.file, command.fileID)))
        }
        services.uploads.cancel(record.fileID) { result in
          let outcome = result.map { end -> [UInt8] in
            JSONWriter.bytes { $0.object { $0.member("cancelled", end == .cancelled) } }
          }
          path.resume { $0.reply(to: address, outcome) }
        }
      }
    }
  }

  // MARK: Messages

  /// Sends a message with a file that was uploaded before.
  func sendFile(
    _ order: MessageOrder, in url: String, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    lookUp([order], to: url, of: caller.user.id) { shard, files in
      let order = order.with(files, of: caller.user.id, in: shard.services)
      let session = shard.session(address.session)
      do throws(ServiceError) {
        try shard.submit(order, to: url, by: caller, of: session, address)
      } catch {
        return shard.reply(to: address, .failure(error))
      }
      guard let session else { return }
      if shard.asksAboutSends || order.mayWait || session.isSendKept(by: url) {
        session.pass(address, in: url)
      }
    }
  }

  /// Sends several messages with files.
  ///
  /// The replies are returned together.
  func send(_ command: MessageSendFiles, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    fileSends.append(FileSends(command.orders.count, replyTo: address))
    lookUp(command.orders, to: command.channelURL, of: caller.user.id) { shard, files in
      var (mayWait, refusal): (Bool, ServiceError?) = (false, nil)
      let session = shard.session(address.session)
      for (index, order) in command.orders.enumerated() {
        let part = FileSends.part(index, of: address)
        do throws(ServiceError) {
          // As in a channel, what follows a refused file is refused too, so that the order stays.
          if let refusal { throw refusal }
          let order = order.with(files, of: caller.user.id, in: shard.services)
          try shard.submit(order, to: command.channelURL, by: caller, of: session, part)
          if order.mayWait { mayWait = true }
        } catch {
          refusal = error
          shard.reply(to: part, .failure(error))
        }
      }
      guard let session else { return }
      if shard.asksAboutSends || mayWait || session.isSendKept(by: command.channelURL) {
        session.pass(address, in: command.channelURL)
      }
    }
  }

  /// Takes the reply to one of several messages with files.
  func completePart(_ address: ReplyAddress, _ outcome: CallOutcome) {
    guard let index = fileSends.firstIndex(where: { $0.awaits(address.ticket) }) else { return }
    let sends = fileSends[index]
    if case .failure(let error) = outcome { chargeRefusal(error) }
    let limit = replyLimit(of: sends.address)
    guard let result = sends.take(outcome, at: address.ticket, limit: limit) else { return }
    complete(fileSends.remove(at: index).address, result)
  }

  // MARK: Pictures

  /// Continues with a command that has the address of a picture, if one of the user's files is to be
  /// used as one.
  ///
  /// The file is claimed before the call is judged, so that it is not encrypted in the meantime. A call
  /// that is refused releases the file.
  func withPicture<Command: Sendable>(
    _ fileID: String?, as url: any WritableKeyPath<Command, String?> & Sendable,
    of command: Command, _ caller: SessionPrincipal, _ address: ReplyAddress,
    then next: @escaping @Sendable (Session, Command) -> Void
  ) {
    guard let fileID else { return next(self, command) }
    let (path, publicURL) = (shard.returnPath, shard.services.uploads.publicURL)
    lookUp([fileID]) { shard, result in
      do throws(ServiceError) {
        let record = try result.get()[fileID]
        let usable = try UploadRecord.usable(record, fileID, of: caller.user.id, in: shard.services)
        guard usable.seal == nil else {
          throw .notCombinable("file_id", "a file that needs a key cannot be a picture")
        }
        var pictured = command
        pictured[keyPath: url] = usable.file(named: nil, publicURL: publicURL).url
        let command = pictured
        shard.services.store.perform(PictureClaim(fileID)) { result in
          path.resume { shard in
            switch result.serviceResult {
            case .success(true):
              guard let session = shard.session(address.session) else {
                return shard.services.store.perform(PictureRelease(fileID)) { _ in }
              }
              shard.pictureCalls.begin(address, with: fileID)
              next(session, command)
            case .success(false): shard.reply(to: address, .failure(.notFound(.file, fileID)))
            case .failure(let error): shard.reply(to: address, .failure(error))
            }
          }
        }
      } catch {
        shard.reply(to: address, .failure(error))
      }
    }
  }

  /// Looks up the files of messages, after encrypting those that must be encrypted from now on.
  ///
  /// A file that cannot be encrypted is not sent.
  private func lookUp(
    _ orders: [MessageOrder], to channelURL: String, of userID: String,
    then next: @escaping @Sendable (Shard, SentFiles) -> Void
  ) {
    let ids = orders.compactMap(\.fileID)
    let vault = shard.services.vault
    let wished = Set(orders.filter(\.requiresAuthorization).compactMap(\.fileID))
    let path = shard.returnPath
    lookUp(ids, to: channelURL, of: userID) { shard, files in
      guard vault.encryptsAll || !wished.isEmpty, case .success(let records) = files.records
      else { return next(shard, files) }
      let clear = records.values.filter { record in
        record.userID == userID && record.stage == .complete && record.seal == nil
          && (vault.encryptsAll || wished.contains(record.fileID))
      }
      guard !clear.isEmpty else { return next(shard, files) }
      let store = shard.services.store
      vault.encrypt(clear.map(\.fileID)[...]) { refused in
        store.perform(UploadsLookup(ids.filter(FileID.isValid))) { result in
          let refusals = files.refusals.merging(refused) { first, _ in first }
          let sealed = SentFiles(records: result.serviceResult, refusals: refusals)
          path.resume { next($0, sealed) }
        }
      }
    }
  }

  /// Looks up the files of messages to a channel, and whether they are in too many other channels.
  private func lookUp(
    _ ids: [String], to channelURL: String, of userID: String,
    then next: @escaping @Sendable (Shard, SentFiles) -> Void
  ) {
    let (services, path) = (shard.services, shard.returnPath)
    do throws(ServiceError) {
      try services.fileLookUpTime.admit(userID, at: SystemClock.monotonicMilliseconds)
    } catch {
      return next(shard, SentFiles(records: .failure(error)))
    }
    let lookup = FilesToSendLookup(ids.filter(FileID.isValid), of: userID, to: channelURL)
    services.store.perform(lookup, inTurnOf: .user(userID)) { result, cost in
      services.fileLookUpTime.charge(cost, to: userID, at: SystemClock.monotonicMilliseconds)
      let files = SentFiles(result.serviceResult)
      path.resume { next($0, files) }
    }
  }

  private func lookUp(
    _ ids: [String],
    then next: @escaping @Sendable (Shard, Result<[String: UploadRecord], ServiceError>) -> Void
  ) {
    let path = shard.returnPath
    shard.services.store.perform(UploadsLookup(ids.filter(FileID.isValid))) { result in
      path.resume { next($0, result.serviceResult) }
    }
  }
}

/// The files of messages to be sent, as stored.
private struct SentFiles: Sendable {
  var records: Result<[String: UploadRecord], ServiceError>
  /// The reasons why files cannot be sent: they had to be encrypted and could not be, or they are in as
  /// many channels as a file may be.
  var refusals: [String: ServiceError] = [:]
}

extension SentFiles {
  init(_ found: Result<FilesToSendLookup.Outcome, ServiceError>) {
    records = found.map(\.records)
    for id in (try? found.get().widespread) ?? [] {
      refusals[id] = .tooManyFileChannels(limit: Limits.fileChannelCount)
    }
  }
}

extension MessageOrder {
  /// Whether the channel may keep the message until the requested additions are ready.
  var mayWait: Bool {
    guard case .success(let draft) = draft else { return false }
    return draft.thumbnailSizes?.isEmpty == false || !draft.translationLanguages.isEmpty
  }
}

extension UploadRecord {
  /// Returns a file of the user that can be in messages or be a picture.
  ///
  /// - Throws: 400201, or 400920 for a file that is not complete.
  fileprivate static func usable(
    _ record: UploadRecord?, _ fileID: String, of userID: String, in services: GatewayServices
  ) throws(ServiceError) -> UploadRecord {
    guard let record, record.userID == userID else { throw .notFound(.file, fileID) }
    switch record.status(at: services.clock.now) {
    case .complete: return record
    case .waiting, .uploading:
      throw .notCombinable("file_id", "the upload of the file is not complete")
    case .cancelled, .expired: throw .notFound(.file, fileID)
    }
  }
}

extension MessageOrder {
  /// The order with its file, or with the reason why the file cannot be sent.
  fileprivate func with(
    _ files: SentFiles, of userID: String, in services: GatewayServices
  ) -> MessageOrder {
    guard let fileID, case .success(var draft) = draft else { return self }
    do throws(ServiceError) {
      let record = try UploadRecord.usable(
        files.records.get()[fileID], fileID, of: userID, in: services)
      if let refusal = files.refusals[fileID] { throw refusal }
      draft.file = record.file(named: draft.file, publicURL: services.uploads.publicURL)
      draft.takeThumbnails(of: record, canBeMade: services.thumbnails.isOn)
      return MessageOrder(
        .success(draft), requestID: requestID, upload: record.fileRecord, arrival: arrival)
    } catch {
      return MessageOrder(.failure(error), requestID: requestID, arrival: arrival)
    }
  }
}
