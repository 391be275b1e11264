internal import Basics

/// A setting: its name, its help text, and the conversion between its text and ``Settings``.
package struct SettingDefinition: Sendable {
  /// The number and notation of a setting's values.
  enum Shape: Sendable {
    /// One value.
    case single
    /// `true` or `false`; a flag without a value means `true`.
    case toggle
    /// Any number of values, separated by commas, given by several flags or as a list.
    case list
    /// As a list; in a file, a value may also be a group of named texts.
    case records
    /// Any number of values `name=value`, given like a list, or in a file as a group of names.
    case table
  }

  /// Whether a value may appear in messages.
  enum Disclosure: Sendable {
    case open
    /// An address whose query may contain a key, which listings omit.
    case openWithoutQuery
    case secret
  }

  /// The default value of a setting.
  enum Default: Sendable {
    /// This value, in its written form.
    case value(String)
    /// No value.
    case nothing
    /// A value described by this phrase.
    case described(String)
  }

  /// The time at which a changed value takes effect.
  enum Adoption: Sendable {
    /// At a reload, while the program runs.
    case reload
    /// At the next start.
    case restart
  }

  /// An invalid value.
  struct Refusal: Error {
    /// The first invalid value.
    let value: String
  }

  /// The name in dotted notation, such as `limits.flood.window_ms`.
  let name: String
  let adoption: Adoption
  private(set) var shape: Shape
  let disclosure: Disclosure
  let defaultValue: Default
  /// A description of valid values that can follow "expected".
  let expected: String
  /// A sentence for the help text.
  let help: String
  /// Stores the values in the settings; exactly one value unless the shape is a list.
  let store: @Sendable (inout Settings, [String]) throws(Refusal) -> Void
  /// The values in the settings, in their written form.
  let show: @Sendable (Settings) -> [String]
  /// Whether two settings have different values.
  let differs: @Sendable (Settings, Settings) -> Bool
  /// Copies the value of the first settings to the second.
  let copy: @Sendable (Settings, inout Settings) -> Void

  /// - Parameter path: The key path of the value in the settings.
  init<Value: Equatable & Sendable>(
    name: String, _ adoption: Adoption, _ path: any Path<Value>, shape: Shape,
    disclosure: Disclosure = .open, defaultValue: Default, expected: String, help: String,
    store: @escaping @Sendable (inout Settings, [String]) throws(Refusal) -> Void,
    show: @escaping @Sendable (Settings) -> [String]
  ) {
    self.name = name
    self.adoption = adoption
    self.shape = shape
    self.disclosure = disclosure
    self.defaultValue = defaultValue
    self.expected = expected
    self.help = help
    self.store = store
    self.show = show
    differs = { $0[keyPath: path] != $1[keyPath: path] }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// The flag, such as `--limits-flood-window-ms`.
  var flag: String {
    "--" + name.replacing(".", with: "-").replacing("_", with: "-")
  }

  /// The environment variable, such as `PARLEY_LIMITS_FLOOD_WINDOW_MS`.
  var variable: String {
    "PARLEY_" + name.replacing(".", with: "_").uppercased()
  }
}

extension SettingDefinition {
  typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

  /// A whole number within limits, in decimal digits.
  static func integer<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<Value>, in range: ClosedRange<Value>,
    unit: String,
    orElse absent: Default? = nil, help: String
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, adoption, path, shape: .single,
      defaultValue: absent ?? .value("\(Settings()[keyPath: path])"),
      expected: "\(unit) from \(range.lowerBound) to \(range.upperBound)", help: help
    ) { settings, values throws(Refusal) in
      settings[keyPath: path] = try one(values) { text in
        Value(decimal: text).flatMap { range.contains($0) ? $0 : nil }
      }
    } show: {
      ["\($0[keyPath: path])"]
    }
  }

  /// A choice among a few words.
  static func choice<Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<Value>, orElse absent: Default? = nil,
    help: String
  ) -> SettingDefinition {
    let words = Value.allCases.map { $0.rawValue }.joined(separator: ", ")
    return SettingDefinition(
      name: name, adoption, path, shape: .single,
      defaultValue: absent ?? .value(Settings()[keyPath: path].rawValue),
      expected: "one of \(words)", help: help
    ) { settings, values throws(Refusal) in
      settings[keyPath: path] = try one(values) { Value(rawValue: $0.lowercased()) }
    } show: {
      [$0[keyPath: path].rawValue]
    }
  }

  /// A boolean.
  static func toggle(
    _ name: String, _ adoption: Adoption, _ path: any Path<Bool>, help: String
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, adoption, path, shape: .toggle,
      defaultValue: .value("\(Settings()[keyPath: path])"),
      expected: "true or false", help: help
    ) { settings, values throws(Refusal) in
      settings[keyPath: path] = try one(values, ToggleText.read)
    } show: {
      ["\($0[keyPath: path])"]
    }
  }

  /// A text that must not be empty.
  static func text(
    _ name: String, _ adoption: Adoption, _ path: any Path<String>, expected: String, help: String,
    read: @escaping @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, adoption, path, shape: .single, defaultValue: .value(Settings()[keyPath: path]),
      expected: expected, help: help
    ) { settings, values throws(Refusal) in
      settings[keyPath: path] = try one(values, read)
    } show: {
      [$0[keyPath: path]]
    }
  }

  /// A value with its own notation.
  static func value<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<Value>, expected: String, help: String,
    write: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, adoption, path, shape: .single,
      defaultValue: .value(write(Settings()[keyPath: path])),
      expected: expected, help: help
    ) { settings, values throws(Refusal) in
      settings[keyPath: path] = try one(values, read)
    } show: {
      [write($0[keyPath: path])]
    }
  }

  /// An optional text; an empty one counts as absent.
  static func optional<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<Value?>,
    _ disclosure: Disclosure = .open,
    absent: Default = .nothing, expected: String, help: String,
    read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, adoption, path, shape: .single, disclosure: disclosure, defaultValue: absent,
      expected: expected, help: help
    ) { settings, values throws(Refusal) in
      guard values != [""] else {
        settings[keyPath: path] = nil
        return
      }
      settings[keyPath: path] = try one(values, read)
    } show: { settings in
      settings[keyPath: path].map { ["\($0)"] } ?? []
    }
  }

  /// Any number of values; an empty text means no values.
  static func list<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<[Value]>,
    _ disclosure: Disclosure = .open,
    in defaults: Settings = Settings(), orElse absent: Default? = nil, expected: String,
    help: String,
    write: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    list(
      name, adoption, path, disclosure, shape: .list, in: defaults, orElse: absent,
      expected: expected, help: help, write: write, read: read)
  }

  /// Any number of values with named members, as `a=x b=y`; in a file, each may be a group.
  static func records<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<[Value]>, expected: String,
    help: String,
    write: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    list(
      name, adoption, path, .open, shape: .records, in: Settings(), orElse: nil,
      expected: expected, help: help, write: write, read: read)
  }

  private static func list<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<[Value]>, _ disclosure: Disclosure,
    shape: Shape, in defaults: Settings, orElse absent: Default?, expected: String, help: String,
    write: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    let standard = defaults[keyPath: path].map(write)
    return SettingDefinition(
      name: name, adoption, path, shape: shape, disclosure: disclosure,
      defaultValue: absent
        ?? (standard.isEmpty ? .nothing : .value(standard.joined(separator: ","))),
      expected: expected, help: help
    ) { settings, values throws(Refusal) in
      var list: [Value] = []
      for text in values {
        guard let value = read(text) else { throw Refusal(value: text) }
        list.append(value)
      }
      settings[keyPath: path] = list
    } show: {
      $0[keyPath: path].map(write)
    }
  }

  /// Any number of values `name=value`; an empty text means no values.
  static func table<Value: Equatable & Sendable>(
    _ name: String, _ adoption: Adoption, _ path: any Path<[Value]>,
    _ disclosure: Disclosure = .open, expected: String, help: String,
    write: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
  ) -> SettingDefinition {
    var definition = list(
      name, adoption, path, disclosure, expected: expected, help: help, write: write, read: read)
    definition.shape = .table
    return definition
  }

  private static func one<Value>(
    _ values: [String], _ read: (String) -> Value?
  ) throws(Refusal) -> Value {
    let text = values.joined(separator: ",")
    guard values.count == 1, let value = read(text) else { throw Refusal(value: text) }
    return value
  }
}
