import HTTP1
import ParleyProtocol
import Store

/// What the application keeps with users and channels, below `…/metadata`.
extension PlatformCall {
  /// `POST`: adds items.
  func createMetadata() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let items = try givenMetadata()
    return changeMetadata(of: owner) { try $0.insertMetadata(items, of: owner) }
  }

  /// `GET …?keys=`.
  func listMetadata() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let keys = try request.texts("keys", limit: Limits.metadataKeyLength)
    return lookUp {
      try $0.metadata(of: owner).filter { keys.isEmpty || keys.contains($0.key) }
    } _: { items, writer in
      items.encode(into: &writer)
    }
  }

  /// `GET …/{key}`.
  func viewMetadata() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let key = arguments[1]
    return lookUp({ [key: try $0.metadata(key, of: owner)] }, { $0.encode(into: &$1) })
  }

  /// `PUT`: replaces values; items that are not there are made with `upsert`.
  func updateMetadata() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let items = try givenMetadata()
    let missing = try missingItems
    return changeMetadata(of: owner) {
      try $0.updateMetadata(items, of: owner, missing: missing)
    }
  }

  /// `PUT …/{key}`: replaces one value.
  func updateMetadataItem() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let key = try checkedKey
    let value = try request.parameters.text("value", limit: Limits.metadataValueLength)
    guard let value else { throw .missing("value") }
    let missing = try missingItems
    return changeMetadata(of: owner) {
      let written = try $0.updateMetadata([key: value], of: owner, missing: missing)
      guard !written.isEmpty else { throw ServiceError.notFound(.metadata, key) }
      return written
    }
  }

  /// `DELETE`.
  func deleteMetadata() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    return changeMetadata(of: owner) {
      try $0.removeAllMetadata(of: owner)
      return [:]
    }
  }

  /// `DELETE …/{key}`.
  func deleteMetadataItem() throws(ServiceError) -> Work {
    let owner = try metadataOwner
    let key = arguments[1]
    return changeMetadata(of: owner) {
      try $0.removeMetadata(key, of: owner)
      return [:]
    }
  }

  /// A key in the path that is to be written.
  var checkedKey: String {
    get throws(ServiceError) {
      let key = arguments[1]
      guard key.unicodeScalars.count <= Limits.metadataKeyLength else {
        throw .tooLong("key", limit: Limits.metadataKeyLength)
      }
      return key
    }
  }

  /// What an update does about keys that are not there.
  var missingItems: MissingItems {
    get throws(ServiceError) {
      try request.parameters.boolean("upsert") == true ? .insert : .skip
    }
  }

  private var metadataOwner: MetadataOwner {
    get throws(ServiceError) {
      request.path.first == "users" ? .user(try userID(at: 0)) : .channel(try channelURL)
    }
  }

  private func givenMetadata() throws(ServiceError) -> [String: String] {
    guard let items = try request.parameters.metadata(), !items.isEmpty else {
      throw .missing("metadata")
    }
    return items
  }

  /// Changes items, and lets those who show them know.
  private func changeMetadata(
    of owner: MetadataOwner,
    _ job: @escaping @Sendable (WriteTransaction) throws -> [String: String]
  ) -> Work {
    let services = node.services
    return { reply in
      services.store.write {
        MetadataChange(written: try job($0), now: try $0.metadata(of: owner), owner: owner)
      } completion: { result in
        if case .success(let change) = result { change.tell(services) }
        reply(result.serviceResult.encoded { $0.written.encode(into: &$1) })
      }
    }
  }
}

private struct MetadataChange: Sendable {
  let written: [String: String]
  let now: [String: String]
  let owner: MetadataOwner

  /// Takes the items over where the owner is in memory.
  func tell(_ services: GatewayServices) {
    switch owner {
    case .channel(let url):
      services.cluster.home(ofChannel: url).post { [now] node in
        node.channels.withChannel(url) { result in
          if case .success(let channel) = result { channel.setMetadata(now) }
        }
      }
    case .user(let id):
      services.store.lookUp({ try $0.account(id) }) { result in
        if case .success(let account?) = result { services.cluster.userDidChange(account) }
      }
    }
  }
}
