import ParleyProtocol
import Channels
import Store
import Transport

/// The texts that an application keeps with users and channels, below `…/metadata`.
struct MetadataEndpoints: Sendable {
  /// Finds the user or the channel in the path.
  let owner: @Sendable (PlatformCall) throws(ServiceError) -> MetadataOwner

  /// `POST`: adds items.
  func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let items = try items(in: call.body)
    change(.insert(items), of: owner, call, completion)
  }

  /// `GET …?key=|keys=`.
  func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let keys = try call.query.itemKeys()
    call.perform(MetadataLookup(of: owner, keys: keys), completion) { $0.encode(into: &$1) }
  }

  /// `GET …/{key}`.
  func viewItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = call.arguments["key"]
    call.perform(MetadataItemLookup(key, of: owner), completion) {
      [key: $0].encode(into: &$1)
    }
  }

  /// `PUT`: replaces values.
  ///
  /// With `upsert`, missing items are created.
  func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let body = try call.body
    let items = try items(in: body)
    let missing = try body.missingItems()
    change(.update(items, missing: missing), of: owner, call, completion)
  }

  /// `PUT …/{key}`: replaces one value.
  func updateItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = try call.checkedKey
    let body = try call.body
    let value = try body.text("value", limit: call.customDataLimits.metadata.valueLength)
    guard let value else { throw .missing("value") }
    let missing = try body.missingItems()
    change(.update([key: value], missing: missing), of: owner, call, completion) { written in
      written.isEmpty ? .failure(.notFound(.metadata, key)) : .success(written)
    }
  }

  /// `DELETE`.
  func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    change(.removeAll, of: owner, call, completion)
  }

  /// `DELETE …/{key}`.
  func deleteItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let owner = try owner(call)
    let key = call.arguments["key"]
    change(.remove(key), of: owner, call, completion)
  }

  private func items(in body: Fields) throws(ServiceError) -> [String: String] {
    guard let items = try body.metadata(), !items.isEmpty else { throw .missing("metadata") }
    return items
  }

  /// Changes items in the store, and in the user or channel if that is in memory.
  ///
  /// - Parameter judge: Computes the answer from the items that were written.
  private func change(
    _ action: MetadataChange.Action, of owner: MetadataOwner, _ call: PlatformCall,
    _ completion: Completion,
    _ judge: @escaping @Sendable ([String: String]) -> Result<[String: String], ServiceError> = {
      .success($0)
    }
  ) {
    let services = call.services
    let change = MetadataChange(action, of: owner, within: call.customDataLimits.metadata)
    services.store.perform(change) { result in
      let answer = result.serviceResult.flatMap { judge($0.written) }
      if case .success = answer, case .success(let change) = result {
        services.publish(change.items, of: owner)
      }
      completion(answer) { $0.encode(into: &$1) }
    }
  }
}

extension PlatformCall {
  /// The key in the path, checked for writing.
  var checkedKey: String {
    get throws(ServiceError) {
      let key = arguments["key"]
      let limit = customDataLimits.metadata.keyLength
      guard key.unicodeScalars.count <= limit else { throw .tooLong("key", limit: limit) }
      return key
    }
  }
}

extension Fields {
  /// The items that a list is limited to: `keys`, or a single `key`; empty for all.
  ///
  /// - Throws: 400920 for both.
  func itemKeys() throws(ServiceError) -> [String] {
    let keys = try texts("keys", limit: MetadataLimits.most.keyLength)
    guard let key = try text("key", limit: MetadataLimits.most.keyLength) else { return keys ?? [] }
    guard keys == nil else { throw .notCombinable("key", "'keys' is given too") }
    return [key]
  }

  /// The treatment of missing keys in an update: `upsert` creates them.
  func missingItems() throws(ServiceError) -> MissingItems {
    try boolean("upsert") == true ? .insert : .skip
  }
}

extension GatewayServices {
  /// Applies changed metadata to its user or channel if that is in memory.
  fileprivate func publish(_ items: [String: String], of owner: MetadataOwner) {
    switch owner {
    case .channel(let url, _):
      shards.send(.channel(url: url, .metadata(items)))
    case .user(let id):
      store.perform(AccountLookup(id)) { [self] result in
        if case .success(let account?) = result { userDidChange(account) }
      }
    }
  }
}
