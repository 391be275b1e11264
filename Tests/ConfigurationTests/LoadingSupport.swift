import Testing

@testable import Configuration

/// Loads settings with a file of this text, if any, and four processors.
func load(
  _ arguments: [String] = [], environment: [String: String] = [:], file text: String? = nil,
  for program: Program = .gateway
) throws -> Settings {
  try SettingsLoader.load(
    for: program, arguments: arguments, environment: environment,
    file: text == nil ? nil : "parley.yaml",
    processorCount: 4, memoryByteCount: 8_000_000_000
  ) { _ throws(FileFailure) in Array((text ?? "").utf8) }
}

/// The problems that loading reports, one line each; empty when it succeeds.
func problems(
  _ arguments: [String] = [], environment: [String: String] = [:], file text: String? = nil,
  for program: Program = .gateway
) -> [String] {
  do {
    _ = try load(arguments, environment: environment, file: text, for: program)
    return []
  } catch let error as SettingsError {
    return error.problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}
