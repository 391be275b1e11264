internal import ParleyProtocol

/// The requests about messages.
struct MessageCalls: Sendable {
  let reader: MessageReader
  /// Receives each message that a call sent or changed, with the number of its event if known.
  var note: @Sendable (any BaseMessage, _ seq: Int64?) -> Void = { _, _ in }

  func send(
    _ params: UserMessageCreateParams.Values, to url: String, requestID: String
  ) -> Call<UserMessage> {
    Call(
      "message.send", .identified,
      params: {
        $0.member("channel_url", url)
        $0.member("req_id", requestID)
        params.write(into: &$0)
      }, reading: noted(reader.userMessage))
  }

  func send(
    _ params: FileMessageCreateParams.Values, fileID: String? = nil, to url: String,
    requestID: String
  ) -> Call<FileMessage> {
    Call(
      "message.send", .identified,
      params: {
        $0.member("channel_url", url)
        $0.member("req_id", requestID)
        params.write(uploadedAs: fileID, into: &$0)
      }, reading: noted(reader.fileMessage))
  }

  func update(
    _ message: MessageReference, _ params: UserMessageUpdateParams.Values
  ) -> Call<UserMessage> {
    Call(
      "message.update", .once,
      params: {
        message.write(into: &$0)
        params.write(into: &$0)
      }, reading: noted(reader.userMessage))
  }

  func delete(_ message: MessageReference) -> Call<Void> {
    Call(
      "message.delete", .once, params: message.write,
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  func get(_ message: MessageReference) -> Call<any BaseMessage> {
    Call("message.get", .safe, params: message.write, reading: reader.message(of:))
  }

  func list(
    _ url: String, around anchor: MessageAnchor, _ params: MessageListParams.Values
  ) -> Call<MessagePage> {
    Call(
      "message.list", .safe,
      params: {
        $0.member("channel_url", url)
        anchor.write(into: &$0)
        params.write(into: &$0)
      }, reading: reader.page)
  }

  func createKeys(
    _ message: MessageReference, _ keys: [String]
  ) -> Call<any BaseMessage> {
    change("message.create_metaarray_keys", message) { $0.member("keys", keys) }
  }

  func deleteKeys(
    _ message: MessageReference, _ keys: [String]
  ) -> Call<any BaseMessage> {
    change("message.delete_metaarray_keys", message) { $0.member("keys", keys) }
  }

  func addValues(
    _ message: MessageReference, _ values: [MessageMetaArray]
  ) -> Call<any BaseMessage> {
    change("message.add_metaarray_values", message) { write(values, into: &$0) }
  }

  func removeValues(
    _ message: MessageReference, _ values: [MessageMetaArray]
  ) -> Call<any BaseMessage> {
    change("message.remove_metaarray_values", message) { write(values, into: &$0) }
  }

  func translateUserMessage(
    _ message: MessageReference, to languages: [String]
  ) -> Call<UserMessage> {
    Call(
      "message.translate", .once,
      params: {
        message.write(into: &$0)
        $0.member("target_langs", languages)
      }, reading: noted(reader.userMessage))
  }

  private func change(
    _ method: String, _ message: MessageReference, _ params: (inout JSONWriter) -> Void
  ) -> Call<any BaseMessage> {
    Call(
      method, .once,
      params: {
        message.write(into: &$0)
        params(&$0)
      },
      reading: { [reader, note] (node: JSONNode) throws(ParleyError) in
        let message = try reader.message(of: node)
        note(message, nil)
        return message
      })
  }

  /// Returns a parser that also passes the message on.
  private func noted<Message: BaseMessage>(
    _ read: @escaping @Sendable (JSONNode) throws(ParleyError) -> Message
  ) -> @Sendable (JSONNode) throws(ParleyError) -> Message {
    { [note] (node: JSONNode) throws(ParleyError) in
      let message = try read(node)
      note(message, node["seq"]?.integer)
      return message
    }
  }

  /// Merges duplicate keys: an object has each member once.
  private func write(_ values: [MessageMetaArray], into writer: inout JSONWriter) {
    var keys: [String] = []
    for array in values where !keys.contains(array.key) { keys.append(array.key) }
    writer.member(
      "values",
      object: {
        for key in keys {
          $0.name(escaping: key)
          $0.array {
            for array in values where array.key == key {
              for value in array.value { $0.value(value) }
            }
          }
        }
      })
  }
}
