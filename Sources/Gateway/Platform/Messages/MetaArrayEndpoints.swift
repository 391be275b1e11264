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
    return try changeMetaArrays { known throws(ServiceError) in try known.adding(arrays) }
  }

  /// `PUT`: adds values to keys, or removes them; a key that is not there is made with `upsert`.
  func updateMetaArrays() throws(ServiceError) -> Work {
    let arrays = try givenMetaArrays()
    let body = try request.parameters
    let mode = try body.choice("mode", of: Mode.self) ?? .add
    let makesKeys = try body.boolean("upsert") ?? false
    return try changeMetaArrays { known throws(ServiceError) in
      let unknown = arrays.first { array in !known.contains { $0.key == array.key } }
      if let unknown, !makesKeys { throw .unknownKey(unknown.key) }
      return mode == .add ? try known.adding(arrays) : known.removing(arrays)
    }
  }

  /// `DELETE …?keys=`: removes keys with all their values; those that are not there are passed
  /// over.
  func deleteMetaArrays() throws(ServiceError) -> Work {
    let keys = try request.texts("keys", limit: Limits.metaArrayKeyLength)
    guard !keys.isEmpty else { throw .missing("keys") }
    return try changeMetaArrays { known throws(ServiceError) in known.deleting(keys: keys) }
  }

  private func givenMetaArrays() throws(ServiceError) -> [MetaArray] {
    let arrays = try request.parameters.metaArrays("sorted_metaarray") ?? []
    guard !arrays.isEmpty else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private func changeMetaArrays(
    _ change: @escaping @Sendable ([MetaArray]) throws(ServiceError) -> [MetaArray]
  ) throws(ServiceError) -> Work {
    let id = try messageID
    return try inChannel { channel, reply in
      channel.changeMetaArrayKeys(of: id, by: .platform(onBehalfOf: nil), change) { _, result in
        reply(
          result.encoded { changed, writer in
            writer.object {
              $0.name("sorted_metaarray")
              changed.message.metaArrays.encode(into: &$0)
            }
          })
      }
    }
  }
}

extension ServiceError {
  fileprivate static func unknownKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound, "the message has no key '\(key)': set 'upsert' to have it made",
      field: "sorted_metaarray")
  }
}
