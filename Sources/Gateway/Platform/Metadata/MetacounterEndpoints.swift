import HTTP1
import ParleyProtocol
import Store

/// Counters that the application keeps with a channel, below
/// `/v3/open_channels/{url}/metacounter`.
extension PlatformCall {
  /// `POST`: adds counters.
  func createMetacounters() throws(ServiceError) -> Work {
    let url = try channelURL
    let numbers = try givenMetacounters()
    return write({ try $0.insertMetacounters(numbers, ofChannel: url) }, { $0.encode(into: &$1) })
  }

  /// `GET …?keys=`.
  func listMetacounters() throws(ServiceError) -> Work {
    let url = try channelURL
    let keys = try request.texts("keys", limit: Limits.metadataKeyLength)
    return lookUp({ try $0.metacounters(ofChannel: url, keys: keys) }, { $0.encode(into: &$1) })
  }

  /// `GET …/{key}`.
  func viewMetacounter() throws(ServiceError) -> Work {
    let url = try channelURL
    let key = arguments[1]
    return lookUp({ [key: try $0.metacounter(key, ofChannel: url)] }, { $0.encode(into: &$1) })
  }

  /// `PUT`: sets, increases or decreases counters; those that are not there are made with `upsert`.
  func updateMetacounters() throws(ServiceError) -> Work {
    let url = try channelURL
    let numbers = try givenMetacounters()
    let (mode, missing) = (try metacounterMode, try missingItems)
    return write(
      { try $0.updateMetacounters(numbers, ofChannel: url, mode, missing: missing) },
      { $0.encode(into: &$1) })
  }

  /// `PUT …/{key}`.
  func updateMetacounter() throws(ServiceError) -> Work {
    let url = try channelURL
    let key = try checkedKey
    let value = try MetacounterTable.number(request.parameters.required("value"), "value")
    let (mode, missing) = (try metacounterMode, try missingItems)
    return write {
      let changed = try $0.updateMetacounters(
        [key: value], ofChannel: url, mode, missing: missing)
      guard !changed.isEmpty else { throw ServiceError.notFound(.metacounter, key) }
      return changed
    } _: {
      $0.encode(into: &$1)
    }
  }

  /// `DELETE`.
  func deleteMetacounters() throws(ServiceError) -> Work {
    let url = try channelURL
    return write({ try $0.removeAllMetacounters(ofChannel: url) }, { $1.object { _ in } })
  }

  /// `DELETE …/{key}`.
  func deleteMetacounter() throws(ServiceError) -> Work {
    let url = try channelURL
    let key = arguments[1]
    return write({ try $0.removeMetacounter(key, ofChannel: url) }, { $1.object { _ in } })
  }

  private var metacounterMode: MetacounterChange {
    get throws(ServiceError) {
      try request.parameters.choice("mode", of: MetacounterChange.self) ?? .set
    }
  }

  private func givenMetacounters() throws(ServiceError) -> [String: Int64] {
    let numbers = try MetacounterTable.read(request.parameters.required("metacounter"))
    guard !numbers.isEmpty else { throw .missing("metacounter") }
    return numbers
  }
}

/// Counters by name, as a request gives them.
private enum MetacounterTable {
  static func read(_ node: JSONNode) throws(ServiceError) -> [String: Int64] {
    guard node.kind == .object else { throw .notObject("metacounter") }
    var numbers: [String: Int64] = [:]
    for (key, value) in node.members where !value.isNull {
      guard numbers.count < Limits.metadataItemCount else {
        throw .tooMany("metacounter", limit: Limits.metadataItemCount)
      }
      try Parameters.checkKey(key, "metacounter", limit: Limits.metadataKeyLength)
      numbers[key] = try number(value, "metacounter")
    }
    return numbers
  }

  static func number(_ node: JSONNode, _ field: String) throws(ServiceError) -> Int64 {
    guard node.kind == .number else { throw .notNumber(field) }
    return try Parameters.wholeNumber(node, field)
  }
}

extension [String: Int64] {
  /// Writes the counters, by name.
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      for (name, number) in sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: name)
        $0.value(number)
      }
    }
  }
}
