/// Decides where a link ends in a text: punctuation behind it belongs to the sentence.
enum LinkEnd {
  /// The candidate without trailing punctuation, and without closing brackets that it did not open.
  static func trim(_ candidate: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    var open = Brackets(candidate)
    var result = candidate
    while let last = result.last {
      if let bracket = Brackets.Kind(closing: last) {
        guard open.hasSurplus(of: bracket) else { break }
        open.dropClosing(bracket)
      } else if !isPunctuation(last) {
        break
      }
      result = result.dropLast()
    }
    return result
  }

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "?", "!", ".", ",", ":", ";", "*", "_", "~", "'", "\"", "|", "\\", "(", "[", "{": true
    default: false
    }
  }

  /// How many brackets of each kind were opened and closed.
  private struct Brackets {
    enum Kind: Int {
      case round, square, curly

      init?(closing scalar: Unicode.Scalar) {
        switch scalar {
        case ")": self = .round
        case "]": self = .square
        case "}": self = .curly
        default: return nil
        }
      }

      init?(opening scalar: Unicode.Scalar) {
        switch scalar {
        case "(": self = .round
        case "[": self = .square
        case "{": self = .curly
        default: return nil
        }
      }
    }

    private var surplus = [0, 0, 0]

    init(_ text: ArraySlice<Unicode.Scalar>) {
      for scalar in text {
        if let kind = Kind(closing: scalar) { surplus[kind.rawValue] += 1 }
        if let kind = Kind(opening: scalar) { surplus[kind.rawValue] -= 1 }
      }
    }

    func hasSurplus(of kind: Kind) -> Bool { surplus[kind.rawValue] > 0 }
    mutating func dropClosing(_ kind: Kind) { surplus[kind.rawValue] -= 1 }
  }
}
