internal import Bytes
internal import Yams

/// What the YAML parser says about a file that it cannot read.
enum YAMLProblem {
  /// The problem in one line that shows nothing of the file's values, and the line it is in.
  static func describe(_ error: YamlError) -> (explanation: String, line: Int?) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      ("expected YAML or JSON, but \(problem)", mark.line)
    case .reader(let problem, _, _, _):
      ("expected YAML or JSON, but \(problem)", nil)
    case .duplicatedKeysInMapping(let duplicates, let context):
      ("expected every key once, but \(list(duplicates)) is there twice", context.mark.line)
    default:
      ("expected YAML or JSON", nil)
    }
  }

  private static func list(_ keys: [String]) -> String {
    keys.prefix(5).map { DisplayText.quoted($0) }.joined(separator: ", ")
  }
}
