internal import Reactor

/// The sources of a program's settings, which can be read again while the program runs.
///
/// Only the file is read each time; command line, environment, processors and memory do not change.
package struct SettingsSource: Sendable {
  package let program: Program
  private let arguments: [String]
  private let environment: [String: String]
  private let file: String?
  private let processorCount: Int
  private let memoryByteCount: Int

  /// - Parameters:
  ///   - arguments: The command line arguments that contain settings.
  ///   - environment: All environment variables.
  ///   - file: The path given by `--config`, if the caller has already parsed it.
  package init(
    of program: Program, arguments: [String], environment: [String: String], file: String?,
    processorCount: Int = Processors.usableCount, memoryByteCount: Int = MachineMemory.byteCount
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.file = file
    self.processorCount = processorCount
    self.memoryByteCount = memoryByteCount
  }

  /// Reads and checks all settings.
  ///
  /// - Throws: All problems.
  package func load(
    readFile: SettingsLoader.ReadFile = SettingsFile.read
  ) throws(SettingsError) -> Settings {
    try SettingsLoader.load(
      for: program, arguments: arguments, environment: environment, file: file,
      processorCount: processorCount, memoryByteCount: memoryByteCount, readFile: readFile)
  }
}
