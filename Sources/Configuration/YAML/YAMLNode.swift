/// A value of a YAML document, with the line on which it begins.
package struct YAMLNode: Sendable {
  package enum Content: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    /// The keys in order; each scalar key occurs once.
    case mapping([YAMLMember])
  }

  package let content: Content
  /// The line number, starting at 1.
  package let line: Int

  /// The text of a scalar; `nil` for anything else.
  package var text: String? {
    guard case .scalar(let scalar) = content else { return nil }
    return scalar.text
  }

  /// Whether the node is a plain scalar that means null.
  var isNull: Bool {
    guard case .scalar(let scalar) = content, scalar.isPlain else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
  }
}

/// A text, number or word.
package struct YAMLScalar: Sendable, Equatable {
  package let text: String
  /// Whether the scalar is written without quotation marks or a block indicator.
  package let isPlain: Bool
}

/// A key of a mapping with its value.
package struct YAMLMember: Sendable {
  package let key: YAMLNode
  package let value: YAMLNode
}

/// The reason why a text could not be parsed as YAML.
package struct YAMLProblem: Error, Equatable {
  /// A description that reveals nothing from the text except the names of keys.
  package let explanation: String
  /// The line; `nil` where it is not known.
  package let line: Int?
}
