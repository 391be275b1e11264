extension Unicode.Scalar {
  /// Whether this is a control character: C0, DELETE or C1.
  package var isControl: Bool {
    value < 0x20 || (0x7f...0x9f).contains(value)
  }

  /// Whether a character acts on more than the text that it is in.
  ///
  /// Control characters reach terminals as commands, and line breaks and directional formatting
  /// reach beyond a name. Joiners and directional marks act only inside it: emoji sequences and
  /// names of right-to-left scripts need them.
  package var actsOnItsSurroundings: Bool {
    switch value {
    case 0x2028...0x2029, 0x202a...0x202e, 0x2066...0x2069: true
    default: isControl
    }
  }

  /// Whether nothing of a character is seen where it stands: control and format characters, joiners
  /// included, and line separators.
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
