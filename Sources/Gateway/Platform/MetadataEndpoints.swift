import ParleyProtocol
import ShardMessages
import Store
import Transport

/// The texts that an application keeps with users and channels, below `…/metadata`.
struct MetadataEndpoints: Sendable {
  /// Finds the user or channel in the path.
  let owner: @Sendable (PlatformCall) throws(ServiceError) -> MetadataOwner

  /// `POST`: adds items.
  func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let items = try items(in: call.body)
    change(owner, call, completion) { try $0.insertMetadata(items, of: owner) }
  }

  /// `GET …?keys=`.
  func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let keys = try call.query.texts("keys", limit: Limits.metadataKeyLength) ?? []
    call.lookUp(completion) {
      try $0.metadata(of: owner).filter { keys.isEmpty || keys.contains($0.key) }
    } _: {
      $0.encode(into: &$1)
    }
  }

  /// `GET …/{key}`.
  func viewItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = call.arguments["key"]
    call.lookUp(completion) {
      [key: try $0.metadata(key, of: owner)]
    } _: {
      $0.encode(into: &$1)
    }
  }

  /// `PUT`: replaces values; items that are not there are made with `upsert`.
  func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let body = try call.body
    let items = try items(in: body)
    let missing = try body.missingItems()
    change(owner, call, completion) {
      try $0.updateMetadata(items, of: owner, missing: missing)
    }
  }

  /// `PUT …/{key}`: replaces one value.
  func updateItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = try call.checkedKey
    let body = try call.body
    let value = try body.text("value", limit: Limits.metadataValueLength)
    guard let value else { throw .missing("value") }
    let missing = try body.missingItems()
    change(owner, call, completion) {
      let written = try $0.updateMetadata([key: value], of: owner, missing: missing)
      guard !written.isEmpty else { throw ServiceError.notFound(.metadata, key) }
      return written
    }
  }

  /// `DELETE`.
  func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    change(owner, call, completion) {
      try $0.removeAllMetadata(of: owner)
      return [:]
    }
  }

  /// `DELETE …/{key}`.
  func deleteItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = call.arguments["key"]
    change(owner, call, completion) {
      try $0.removeMetadata(key, of: owner)
      return [:]
    }
  }

  private func items(in body: Fields) throws(ServiceError) -> [String: String] {
    guard let items = try body.metadata(), !items.isEmpty else { throw .missing("metadata") }
    return items
  }

  /// Changes items, and takes them over where their owner is in memory.
  private func change(
    _ owner: MetadataOwner, _ call: PlatformCall, _ completion: Completion,
    _ job: @escaping @Sendable (WriteTransaction) throws -> [String: String]
  ) {
    let services = call.services
    services.store.write {
      MetadataChange(written: try job($0), now: try $0.metadata(of: owner), owner: owner)
    } completion: { result in
      if case .success(let change) = result { change.publish(in: services) }
      completion(result.serviceResult) { $0.written.encode(into: &$1) }
    }
  }
}

extension PlatformCall {
  /// The key in the path, which is to be written.
  var checkedKey: String {
    get throws(ServiceError) {
      let key = arguments["key"]
      guard key.unicodeScalars.count <= Limits.metadataKeyLength else {
        throw .tooLong("key", limit: Limits.metadataKeyLength)
      }
      return key
    }
  }
}

extension Fields {
  /// The fate of keys that an update does not find: `upsert` makes them.
  func missingItems() throws(ServiceError) -> MissingItems {
    try boolean("upsert") == true ? .insert : .skip
  }
}

private struct MetadataChange: Sendable {
  let written: [String: String]
  let now: [String: String]
  let owner: MetadataOwner

  /// Takes the items over where the owner is in memory.
  func publish(in services: GatewayServices) {
    switch owner {
    case .channel(let url):
      services.shards.send(.channel(url: url, .metadata(now)))
    case .user(let id):
      services.store.lookUp({ try $0.account(id) }) { result in
        if case .success(let account?) = result { services.shards.userDidChange(account) }
      }
    }
  }
}
