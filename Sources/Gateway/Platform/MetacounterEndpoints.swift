import ParleyProtocol
import Store
import Transport

/// The counters that an application keeps with a channel, below `…/{url}/metacounter`.
struct MetacounterEndpoints: Sendable {
  /// The kind of the channels.
  let kind: ChannelKind

  /// `POST`: adds counters.
  func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let numbers = try Self.numbers(in: call.body)
    let change = MetacounterChange(
      .insert(numbers), ofChannel: url, kind, within: call.customDataLimits.metadata)
    call.perform(change, completion) { $0.encode(into: &$1) }
  }

  /// `GET …?key=|keys=`.
  func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let keys = try call.query.itemKeys()
    call.perform(MetacounterLookup(ofChannel: url, kind, keys: keys), completion) {
      $0.encode(into: &$1)
    }
  }

  /// `GET …/{key}`.
  func viewItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let key = call.arguments["key"]
    call.perform(MetacounterItemLookup(key, ofChannel: url, kind), completion) {
      [key: $0].encode(into: &$1)
    }
  }

  /// `PUT`: sets, increases or decreases counters.
  ///
  /// With `upsert`, missing counters are created.
  func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let body = try call.body
    let numbers = try Self.numbers(in: body)
    let (mode, missing) = (try Self.mode(in: body), try body.missingItems())
    let change = MetacounterChange(
      .update(numbers, mode, missing: missing), ofChannel: url, kind,
      within: call.customDataLimits.metadata)
    call.perform(change, completion) { $0.encode(into: &$1) }
  }

  /// `PUT …/{key}`.
  func updateItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let key = try call.checkedKey
    let body = try call.body
    guard let value = try body.integer("value", in: .min ... .max) else { throw .missing("value") }
    let (mode, missing) = (try Self.mode(in: body), try body.missingItems())
    let change = MetacounterChange(
      .update([key: value], mode, missing: missing), ofChannel: url, kind,
      within: call.customDataLimits.metadata)
    call.services.store.perform(change) { result in
      let changed = result.serviceResult.flatMap { changed -> Result<[String: Int64], _> in
        changed.isEmpty ? .failure(.notFound(.metacounter, key)) : .success(changed)
      }
      completion(changed) { $0.encode(into: &$1) }
    }
  }

  /// `DELETE`.
  func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    call.perform(MetacounterChange(.removeAll, ofChannel: url, kind), completion) {
      $1.object { _ in }
    }
  }

  /// `DELETE …/{key}`.
  func deleteItem(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let url = try call.channelURL
    let key = call.arguments["key"]
    call.perform(MetacounterChange(.remove(key), ofChannel: url, kind), completion) {
      $1.object { _ in }
    }
  }

  private static func mode(in body: Fields) throws(ServiceError) -> MetacounterMode {
    try body.choice("mode", of: MetacounterMode.self) ?? .set
  }

  private static func numbers(in body: Fields) throws(ServiceError) -> [String: Int64] {
    guard let numbers = try body.counters("metacounter"), !numbers.isEmpty else {
      throw .missing("metacounter")
    }
    return numbers
  }
}

extension [String: Int64] {
  /// Writes the numbers, by name.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      for (name, number) in sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: name)
        $0.value(number)
      }
    }
  }
}
