package import ParleyProtocol

/// The compiled words of a filter: finds all of them in one pass over a text.
///
/// An Aho–Corasick automaton over folded characters. A text takes time in proportion to its length and to
/// the length of the longest word at most, whatever the number of words.
package final class WordFilter: Sendable {
  /// The forms in which the characters up to a node are a keyword.
  private struct Forms: OptionSet {
    let rawValue: UInt8
    static let whole = Forms(rawValue: 1)
    /// `bad*`.
    static let beginning = Forms(rawValue: 2)
    /// `*bad`.
    static let end = Forms(rawValue: 4)
    /// `*bad*`.
    static let part = Forms(rawValue: 8)
  }

  private struct Node {
    var forms: Forms = []
    let depth: Int32
    /// The node of the longest proper suffix.
    var suffix: Int32 = 0
    /// The node of the longest proper suffix that is a keyword; 0 for none.
    var keyword: Int32 = 0
  }

  package let rules: WordFilterRules
  private let nodes: [Node]
  /// By the number of a node in the upper half, and a character in the lower half.
  private let edges: [UInt64: Int32]

  /// - Returns: `nil` for rules that change nothing.
  package init?(_ rules: WordFilterRules) {
    let words = rules.keywords.compactMap(FilteredWord.init)
    guard rules.kind != .none, !words.isEmpty else { return nil }
    self.rules = rules
    (nodes, edges) = Self.automaton(of: words)
  }

  private static func automaton(of words: [FilteredWord]) -> ([Node], [UInt64: Int32]) {
    var nodes = [Node(depth: 0)]
    var edges: [UInt64: Int32] = [:]
    /// The edges in the order of their nodes' numbers, to visit nodes by their depth.
    var children: [[(UInt32, Int32)]] = [[]]
    for word in words {
      var node: Int32 = 0
      for scalar in word.scalars {
        if let next = edges[key(node, scalar)] {
          node = next
        } else {
          let next = Int32(nodes.count)
          nodes.append(Node(depth: nodes[Int(node)].depth + 1))
          children.append([])
          children[Int(node)].append((scalar, next))
          edges[key(node, scalar)] = next
          node = next
        }
      }
      nodes[Int(node)].forms.insert(
        word.isOpenBefore
          ? word.isOpenAfter ? .part : .end : word.isOpenAfter ? .beginning : .whole)
    }
    var queue = children[0].map(\.1)
    var position = 0
    while position < queue.count {
      let node = queue[position]
      position += 1
      for (scalar, child) in children[Int(node)] {
        queue.append(child)
        let suffix = step(nodes[Int(node)].suffix, scalar, nodes, edges)
        nodes[Int(child)].suffix = suffix
        nodes[Int(child)].keyword =
          nodes[Int(suffix)].forms.isEmpty ? nodes[Int(suffix)].keyword : suffix
      }
    }
    return (nodes, edges)
  }

  private static func key(_ node: Int32, _ scalar: UInt32) -> UInt64 {
    UInt64(UInt32(bitPattern: node)) << 32 | UInt64(scalar)
  }

  /// The node after one more character: that of the longest suffix which begins a keyword.
  private static func step(
    _ node: Int32, _ scalar: UInt32, _ nodes: [Node], _ edges: [UInt64: Int32]
  ) -> Int32 {
    var node = node
    while true {
      if let next = edges[key(node, scalar)] { return next }
      guard node != 0 else { return 0 }
      node = nodes[Int(node)].suffix
    }
  }

  // MARK: Texts

  /// The text without the words of the filter.
  ///
  /// A replaced text has the same number of characters.
  ///
  /// - Throws: 900060 for a text that the filter blocks.
  package func filtered(_ text: String) throws(ServiceError) -> String {
    let message = FoldedMessage(text)
    guard let covered = covered(in: message) else { return text }
    guard rules.kind == .replace else { throw .filtered }
    return Self.replacing(covered, of: message, in: text)
  }

  /// Whether each folded character belongs to a word of the filter; `nil` if none does.
  private func covered(in message: FoldedMessage) -> [Bool]? {
    var finds: Finds?
    var node: Int32 = 0
    for (place, scalar) in message.scalars.enumerated() {
      node = Self.step(node, scalar, nodes, edges)
      var found = nodes[Int(node)].forms.isEmpty ? nodes[Int(node)].keyword : node
      guard found != 0 else { continue }
      let ends = message.isBoundary(before: place + 1)
      while found != 0 {
        let (forms, depth) = (nodes[Int(found)].forms, Int(nodes[Int(found)].depth))
        let start = place + 1 - depth
        if let isWhole = Self.match(forms, start: message.isBoundary(before: start), end: ends) {
          if rules.kind == .block { return [] }
          finds = finds ?? Finds(message.scalars.count)
          finds?.add(start...place, isWholeWord: !isWhole)
        }
        found = nodes[Int(found)].keyword
      }
    }
    return finds?.covered(in: message)
  }

  /// Whether keywords match by their forms, and if so, whether only the characters themselves are found.
  private static func match(_ forms: Forms, start: Bool, end: Bool) -> Bool? {
    if forms.contains(.part) || (start && forms.contains(.beginning))
      || (end && forms.contains(.end))
    {
      return false
    }
    return start && end && forms.contains(.whole) ? true : nil
  }

  private static func replacing(
    _ covered: [Bool], of message: FoldedMessage, in text: String
  ) -> String {
    var result = String.UnicodeScalarView()
    var (next, isCovered) = (0, false)
    for (place, scalar) in text.unicodeScalars.enumerated() {
      // An accent, or a character that is not shown, belongs to the one before it.
      if next < message.places.count, message.places[next] == place { isCovered = false }
      while next < message.places.count, message.places[next] == place {
        isCovered = isCovered || covered[next]
        next += 1
      }
      result.append(isCovered ? "*" : scalar)
    }
    return String(result)
  }
}

/// The places of found words in a text.
private struct Finds {
  /// Words that begin at a place, minus those that end before it.
  private var begun: [Int32]
  /// Places in words that are found as a whole.
  private var isInWord: [Bool]

  init(_ count: Int) {
    begun = Array(repeating: 0, count: count + 1)
    isInWord = Array(repeating: false, count: count)
  }

  /// - Parameter isWholeWord: Whether the whole word around the characters is found.
  mutating func add(_ range: ClosedRange<Int>, isWholeWord: Bool) {
    begun[range.lowerBound] += 1
    begun[range.upperBound + 1] -= 1
    if isWholeWord { isInWord[range.lowerBound] = true; isInWord[range.upperBound] = true }
  }

  func covered(in message: FoldedMessage) -> [Bool] {
    var covered: [Bool] = []
    var (open, start): (Int32, Int) = (0, 0)
    for place in isInWord.indices {
      open += begun[place]
      covered.append(open > 0)
      guard message.isBoundary(before: place + 1) else { continue }
      if isInWord[start...place].contains(true) {
        for other in start...place { covered[other] = true }
      }
      start = place + 1
    }
    return covered
  }
}
