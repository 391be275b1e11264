import Channels
import Channels
import HTTP1
import ParleyProtocol

/// A message's extra data, below `/v3/open_channels/{url}/messages/{message_id}/sorted_metaarray`.
extension PlatformCall {
  private enum Mode: String, CaseIterable {
    case add
    case remove
  }

  /// `POST`: adds keys with their values; values of a key that is there come to those it has.
  func createMetaArrays() throws(ServiceError) -> Work {
    let arrays = try givenMetaArrays()
    return try changeMetaArrays(.addValues(arrays))
  }

  /// `PUT`: adds values to keys, or removes them; a key that is not there is made with `upsert`.
  func updateMetaArrays() throws(ServiceError) -> Work {
    let arrays = try givenMetaArrays()
    let body = try request.parameters
    let mode = try body.choice("mode", of: Mode.self) ?? .add
    let makesKeys = try body.boolean("upsert") ?? false
    switch (mode, makesKeys) {
    case (.add, true): return try changeMetaArrays(.addValues(arrays))
    case (.add, false): return try changeMetaArrays(.addValuesToKnownKeys(arrays))
    case (.remove, true): return try changeMetaArrays(.removeValues(arrays))
    case (.remove, false): return try changeMetaArrays(.removeValuesFromKnownKeys(arrays))
    }
  }

  /// `DELETE …?keys=`: removes keys with all their values; those that are not there are passed
  /// over.
  func deleteMetaArrays() throws(ServiceError) -> Work {
    let keys = try request.texts("keys", limit: Limits.metaArrayKeyLength)
    guard !keys.isEmpty else { throw .missing("keys") }
    return try changeMetaArrays(.deleteKeys(keys))
  }

  private func givenMetaArrays() throws(ServiceError) -> [MetaArray] {
    let arrays = try request.parameters.metaArrays("sorted_metaarray") ?? []
    guard !arrays.isEmpty else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private func changeMetaArrays(_ change: MetaArrayChange) throws(ServiceError) -> Work {
    let id = try messageID
    return try perform(.changeMetaArrays(ofMessage: id, change)) { answer, writer in
      guard case .changed(let changed) = answer else { return }
      writer.object {
        $0.name("sorted_metaarray")
        changed.message.metaArrays.encode(into: &$0)
      }
    }
  }
}
