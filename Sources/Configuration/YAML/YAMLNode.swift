/// A value of a YAML document, with the line that it begins in.
package struct YAMLNode: Sendable {
  package enum Content: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    /// The keys in their order; each scalar is there once.
    case mapping([YAMLMember])
  }

  package let content: Content
  /// The first line is 1.
  package let line: Int

  /// The text of a scalar; `nil` for anything else.
  package var text: String? {
    guard case .scalar(let scalar) = content else { return nil }
    return scalar.text
  }

  /// Whether it is a plain scalar that stands for nothing.
  var isNull: Bool {
    guard case .scalar(let scalar) = content, scalar.isPlain else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
  }
}

/// A text, number or word.
package struct YAMLScalar: Sendable, Equatable {
  package let text: String
  /// Whether it stands there without quotation marks or a block's mark.
  package let isPlain: Bool
}

/// A key of a mapping with its value.
package struct YAMLMember: Sendable {
  package let key: YAMLNode
  package let value: YAMLNode
}

/// The reason why a text is not read as YAML.
package struct YAMLProblem: Error, Equatable {
  /// The problem in words that show nothing of the text but the names of keys.
  package let explanation: String
  /// `nil` where the line is not known.
  package let line: Int?
}
