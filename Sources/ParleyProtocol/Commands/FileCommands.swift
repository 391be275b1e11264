/// `file.create`.
package struct FileCreate: Sendable, Hashable {
  /// The size in bytes; above 0.
  package var size: Int64
  package var name: String
  package var type: String
  /// The client's own identifier of the request, by which repetitions are recognised.
  package var requestID: String?
  /// The parameters of the message that is sent after the upload, as JSON.
  package var message: String?
  /// Whether the file requires a key; `nil` leaves the decision to the server.
  ///
  /// The message can also require a key.
  package var requiresAuthorization: Bool?
  /// The thumbnails that are made after the upload.
  package var thumbnailSizes: [ThumbnailSize] = []

  /// - Throws: 400105 to 400151, 400203, or 400920 for a message that already has a file.
  package init(_ parameters: Fields) throws(ServiceError) {
    guard let size = try parameters.integer("size", in: 1...Limits.messageIDs.upperBound) else {
      throw .missing("size")
    }
    self.size = size
    name = try parameters.string("name") ?? ""
    guard name.unicodeScalars.count <= Limits.fileNameLength else {
      throw .tooLong("name", limit: Limits.fileNameLength)
    }
    type = try parameters.name("type", limit: Limits.fileTypeLength) ?? ""
    let id = try parameters.text("req_id", limit: Limits.requestIDLength)
    requestID = id?.isEmpty == true ? nil : id
    requiresAuthorization = try parameters.boolean("require_auth")
    thumbnailSizes = try parameters.thumbnailSizes() ?? []
    guard let value = parameters.value("message") else { return }
    let object = try value.object("message")
    let message = try UploadMessage(Fields(object, limits: parameters.limits))
    if message.draft.file?.requiresAuthorization == true { requiresAuthorization = true }
    self.message = String(decoding: message.encoded(), as: UTF8.self)
  }

  /// The creation of an upload over HTTP, whose texts must still be checked.
  package init(size: Int64, name: String, type: String) {
    self.size = size
    self.name = name
    self.type = type
  }

  /// - Throws: 400110 or 400151.
  package func checkTexts() throws(ServiceError) {
    let fields = Fields(form: ["name": [name], "type": [type]])
    guard name.unicodeScalars.count <= Limits.fileNameLength else {
      throw .tooLong("name", limit: Limits.fileNameLength)
    }
    _ = try fields.name("type", limit: Limits.fileTypeLength)
  }
}

/// The message that is sent when an upload is complete: the parameters of `message.send` without a file.
package struct UploadMessage: Sendable, Hashable {
  package var channelURL: String
  package var requestID: String?
  /// The message; its file contains at most a name, a type and whether it requires a key.
  package var draft: MessageDraft

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    let id = try parameters.text("req_id", limit: Limits.requestIDLength)
    requestID = id?.isEmpty == true ? nil : id
    draft = try MessageDraft(ofUpload: parameters)
  }

  /// The known parameters as JSON, without the whitespace of the request, so that the stored size stays
  /// within the limits of a message.
  package func encoded() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", channelURL)
        $0.member("req_id", ifKnown: requestID)
        draft.encodeParameters(into: &$0)
      }
    }
  }

  /// Reads the content of ``FileCreate/message``, which was checked against earlier limits.
  package init(json: String) throws(ServiceError) {
    let root: JSONNode
    do throws(JSONError) { root = try JSONDocument(Array(json.utf8)).root } catch {
      throw .internalError
    }
    try self.init(try Fields(root, limits: .most))
  }
}

/// The parameters of `file.get` and `file.cancel`.
package struct FileReference: Sendable, Hashable {
  package var fileID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    fileID = try parameters.requiredText("file_id", limit: Limits.fileIDLength)
  }
}

/// `file.list`.
package struct FileList: Sendable, Hashable {
  /// 1 to 100.
  package var limit: Int
  package var token: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}

/// `message.send_files`: several file messages to one channel, each of which is checked separately.
package struct MessageSendFiles: Sendable {
  package var channelURL: String
  package var orders: [MessageOrder]

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    guard let nodes = try parameters.value("files")?.nodes("files", limit: Limits.filesPerCall)
    else { throw .missing("files") }
    guard !nodes.isEmpty else { throw .invalid("files", "[]", expected: "1 to 20 files") }
    orders = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects("files") }
      let fields = try Fields(node, limits: parameters.limits, arrival: parameters.arrival)
      orders.append(MessageOrder(fileOf: fields))
    }
  }
}

extension Fields {
  /// The optional id of an uploaded file.
  ///
  /// - Throws: 400920 when the address is given as well.
  func fileID(_ name: String, insteadOf address: String) throws(ServiceError) -> String? {
    guard let id = try text(name, limit: Limits.fileIDLength), !id.isEmpty else { return nil }
    guard value(address) == nil else {
      throw .notCombinable(name, "'\(address)' is given too")
    }
    return id
  }

  /// The optional `thumbnail_sizes`: 1 to 3 boxes of 1 to 2,000 pixels per side, or none.
  ///
  /// - Throws: 400113 or 400203.
  package func thumbnailSizes() throws(ServiceError) -> [ThumbnailSize]? {
    let name = "thumbnail_sizes"
    guard let nodes = try value(name)?.nodes(name, limit: Limits.thumbnailCount) else { return nil }
    var sizes: [ThumbnailSize] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let box = try Fields(node)
      sizes.append(
        ThumbnailSize(
          maxWidth: try box.side("max_width"), maxHeight: try box.side("max_height")))
    }
    return sizes
  }

  private func side(_ name: String) throws(ServiceError) -> Int {
    guard let side = try integer(name, in: Limits.thumbnailSides) else { throw .missing(name) }
    return Int(side)
  }
}
