// sources: Sources/Configuration/YAML/*.swift
import Basics

#if canImport(Configuration)
  @testable import Configuration
#endif

/// Reads any text as YAML, and looks at every value and line that is found.
enum YAMLTextHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard String(validating: input, as: UTF8.self) != nil else { return }
    let lines = input.count + 2
    do throws(YAMLProblem) {
      guard let root = try YAMLDocument.root(of: input) else { return }
      check(root, lines, depth: 0)
    } catch {
      precondition(error.explanation.hasPrefix("expected "))
      precondition((1...lines).contains(error.line ?? 1))
    }
  }

  private static func check(_ node: YAMLNode, _ lines: Int, depth: Int) {
    precondition((1...lines).contains(node.line))
    precondition(depth <= YAMLDocument.depthLimit)
    switch node.content {
    case .scalar: break
    case .sequence(let elements):
      for element in elements { check(element, lines, depth: depth + 1) }
    case .mapping(let members):
      let names = members.compactMap(\.key.text)
      precondition(Set(names).count == names.count)
      for member in members {
        check(member.key, lines, depth: depth + 1)
        check(member.value, lines, depth: depth + 1)
      }
    }
  }
}
