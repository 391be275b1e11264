internal import CYAML

/// A part of a YAML text, in the order of the text.
enum YAMLEvent {
  case scalar(YAMLScalar, line: Int)
  case sequenceBegins(line: Int)
  case sequenceEnds
  case mappingBegins(line: Int)
  case mappingEnds
  case alias(line: Int)
  case documentBegins(line: Int)
  case documentEnds
  case textEnds
}

/// Parses a YAML text into events with libyaml.
struct YAMLEvents: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeBufferPointer<UInt8>

  /// - Parameter text: UTF-8; must stay at the same address while it is parsed.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    parser = .allocate(capacity: 1)
    // Fails only for lack of memory, in which case Swift's own allocations also end the process.
    precondition(yaml_parser_initialize(parser) == 1, "out of memory")
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next event; must not be called after ``YAMLEvent/textEnds`` or an error.
  mutating func next() throws(YAMLProblem) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
      defer { yaml_event_delete(&event) }
      let line = event.start_mark.line + 1
      switch event.type {
      case YAML_SCALAR_EVENT: return .scalar(Self.scalar(of: event), line: line)
      case YAML_SEQUENCE_START_EVENT: return .sequenceBegins(line: line)
      case YAML_SEQUENCE_END_EVENT: return .sequenceEnds
      case YAML_MAPPING_START_EVENT: return .mappingBegins(line: line)
      case YAML_MAPPING_END_EVENT: return .mappingEnds
      case YAML_ALIAS_EVENT: return .alias(line: line)
      case YAML_DOCUMENT_START_EVENT: return .documentBegins(line: line)
      case YAML_DOCUMENT_END_EVENT: return .documentEnds
      case YAML_STREAM_END_EVENT: return .textEnds
      default: continue
      }
    }
  }

  private static func scalar(of event: yaml_event_t) -> YAMLScalar {
    let scalar = event.data.scalar
    let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
    return YAMLScalar(
      text: String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE
    )
  }

  private var problem: YAMLProblem {
    let state = parser.pointee
    let found = state.problem.map { ", but " + String(cString: $0) }
    let words = "expected YAML or JSON" + (found ?? "")
    guard state.error == YAML_READER_ERROR else {
      return YAMLProblem(explanation: words, line: state.problem_mark.line + 1)
    }
    let before = text.prefix(state.problem_offset)
    return YAMLProblem(
      explanation: words, line: before.count { $0 == UInt8(ascii: "\n") } + 1)
  }
}
