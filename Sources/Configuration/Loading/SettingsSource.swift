internal import Reactor

/// The sources of a program's settings, which can be read again while it runs.
///
/// Command line, environment, processors and memory are those of the start; the file is read each time.
package struct SettingsSource: Sendable {
  package let program: Program
  private let arguments: [String]
  private let environment: [String: String]
  private let file: String?
  private let processorCount: Int
  private let memoryByteCount: Int

  /// - Parameters:
  ///   - arguments: The words of the command line that hold settings.
  ///   - environment: All variables of the environment.
  ///   - file: The path given by `--config`, when the caller has taken it from the command line.
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
  /// - Throws: Every problem found.
  package func load(
    readFile: SettingsLoader.ReadFile = SettingsFile.read
  ) throws(SettingsError) -> Settings {
    try SettingsLoader.load(
      for: program, arguments: arguments, environment: environment, file: file,
      processorCount: processorCount, memoryByteCount: memoryByteCount, readFile: readFile)
  }
}
