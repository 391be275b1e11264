internal import ParleyProtocol

/// The members of a request body; members without a value are omitted.
struct RequestBody {
  private var writers: [(name: String, write: (inout JSONWriter) -> Void)] = []

  var isEmpty: Bool { writers.isEmpty }

  /// The body as JSON.
  var bytes: [UInt8] {
    JSONWriter.bytes { writer in
      writer.object { object in
        for member in writers {
          object.name(escaping: member.name)
          member.write(&object)
        }
      }
    }
  }

  /// The members as form fields: texts unchanged, other values as JSON.
  var fields: [(String, String)] {
    writers.map { member in
      let json = JSONWriter.bytes(member.write)
      let text = (try? JSONDocument(json).root)?.string
      return (member.name, text ?? String(decoding: json, as: UTF8.self))
    }
  }

  mutating func set(_ name: String, _ text: String?) {
    guard let text else { return }
    writers.append((name, { $0.value(text) }))
  }

  mutating func set(_ name: String, _ number: Int64?) {
    guard let number else { return }
    writers.append((name, { $0.value(number) }))
  }

  mutating func set(_ name: String, _ claim: Bool?) {
    guard let claim else { return }
    writers.append((name, { $0.value(claim) }))
  }

  /// Adds a list unless it is empty.
  mutating func set(_ name: String, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    writers.append((name, { $0.array { for text in texts { $0.value(text) } } }))
  }

  /// Adds a list of JSON values.
  mutating func set(_ name: String, raw values: [[UInt8]]) {
    writers.append((name, { $0.array { for value in values { $0.value(raw: value) } } }))
  }

  /// Adds an object of numbers.
  mutating func set(_ name: String, _ numbers: [(key: String, number: Int64)]) {
    writers.append(
      (name, { $0.object { for item in numbers { $0.member(escaping: item) } } }))
  }

  /// Adds lists of texts by key, in the form used by messages.
  mutating func set(_ name: String, lists: [(key: String, values: [String])]) {
    writers.append((name, { $0.array { for list in lists { $0.value(list) } } }))
  }

  /// Adds an object.
  mutating func set(_ name: String, _ object: RequestBody) {
    writers.append((name, { $0.value(raw: object.bytes) }))
  }

  /// Adds an object of texts.
  mutating func set(_ name: String, _ texts: [String: String]) {
    writers.append((name, { $0.value(texts) }))
  }
}

extension JSONWriter {
  fileprivate mutating func member(escaping item: (key: String, number: Int64)) {
    name(escaping: item.key)
    value(item.number)
  }

  fileprivate mutating func value(_ list: (key: String, values: [String])) {
    object {
      $0.member("key", list.key)
      $0.member("value", list.values)
    }
  }

  fileprivate mutating func value(_ texts: [String: String]) {
    object {
      for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: key)
        $0.value(text)
      }
    }
  }
}

extension RequestBody {
  /// Adds a limit.
  mutating func set(_ name: String, _ rate: RateArgument?) {
    guard let rate else { return }
    writers.append(
      (
        name,
        {
          $0.object {
            $0.member("messages", rate.messages)
            $0.member("window_ms", rate.windowMilliseconds)
          }
        }
      ))
  }
}
