import Channels
import ParleyProtocol

/// The extra data of a message, below `/v3/open_channels/{url}/messages/{message_id}/sorted_metaarray`.
enum MetaArrayEndpoints {
  private enum Mode: String, CaseIterable {
    case add
    case remove
  }

  /// `POST`: adds keys with their values; values of a key that is there come to those it has.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try change(.addValues(arrays(in: call.body)), call, completion)
  }

  /// `PUT`: adds values to keys, or removes them; a key that is not there is made with `upsert`.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let arrays = try arrays(in: body)
    let mode = try body.choice("mode", of: Mode.self) ?? .add
    let makesKeys = try body.boolean("upsert") ?? false
    switch (mode, makesKeys) {
    case (.add, true): try change(.addValues(arrays), call, completion)
    case (.add, false): try change(.addValuesToKnownKeys(arrays), call, completion)
    case (.remove, true): try change(.removeValues(arrays), call, completion)
    case (.remove, false): try change(.removeValuesFromKnownKeys(arrays), call, completion)
    }
  }

  /// `DELETE …?keys=`: removes keys with all their values; those that are not there are passed
  /// over.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let keys = try call.query.texts("keys", limit: Limits.metaArrayKeyLength) ?? []
    guard !keys.isEmpty else { throw .missing("keys") }
    try change(.deleteKeys(keys), call, completion)
  }

  private static func arrays(in body: Fields) throws(ServiceError) -> [MetaArray] {
    let arrays = try body.metaArrays("sorted_metaarray") ?? []
    guard !arrays.isEmpty else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private static func change(
    _ change: MetaArrayChange, _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    let command = ChannelCommand.changeMetaArrays(ofMessage: try call.messageID, change)
    try call.perform(command, completion) { answer, writer in
      guard case .changed(let changed) = answer else { return }
      writer.object {
        $0.name("sorted_metaarray")
        changed.message.metaArrays.encode(into: &$0)
      }
    }
  }
}
