internal import Reactor

/// Makes ``Settings`` of what flags, environment and file say; flags outrank the environment, which
/// outranks the file, which outranks the defaults.
///
/// Looks at everything before it gives up, so that one attempt shows every problem.
package enum SettingsLoader {
  /// Reads a whole file, or throws the reason why it cannot be read.
  package typealias ReadFile = (_ path: String) throws(FileFailure) -> [UInt8]

  /// The environment variable that names the file when the flag `--config` does not.
  static let fileVariable = "PARLEY_CONFIG"
  /// The flag that names the file.
  static let fileFlag = "--config"

  /// Reads and checks all settings.
  ///
  /// - Parameters:
  ///   - program: The program that the settings are for; those of other programs are passed over in the file and
  ///     the environment, which may serve them all, and refused as flags.
  ///   - arguments: The words of the command line that hold settings: `--a-b-c value` or
  ///     `--a-b-c=value`. `--config` may be among them.
  ///   - environment: All variables of the environment; only those named `PARLEY_…` are looked at.
  ///   - file: The path given by `--config`, when the caller has taken it from the command line.
  ///   - processorCount: The number of `reactors` when nothing sets it.
  ///   - memoryByteCount: Twice what `limits.memory_bytes` is when nothing sets it.
  ///   - readFile: Reads the configuration file, if one is named.
  /// - Throws: Every problem found: unknown names, bad values, combinations that make no sense.
  package static func load(
    for program: Program,
    arguments: [String],
    environment: [String: String],
    file: String? = nil,
    processorCount: Int = Processors.usableCount,
    memoryByteCount: Int = MachineMemory.byteCount,
    readFile: ReadFile = SettingsFile.read
  ) throws(SettingsError) -> Settings {
    let table = program.table
    let flags = FlagReader.read(arguments, of: table)
    let variables = EnvironmentReader.read(environment, of: table)
    let path = file ?? flags.file ?? variables.file
    let contents =
      path.map { FileReader.read(path: $0, of: table, using: readFile) } ?? SettingsReading()

    var assembly = SettingsAssembly(settings: table.defaults)
    for reading in [contents, variables, flags] { assembly.add(reading) }
    return try assembly.finish(
      processorCount: processorCount, memoryByteCount: memoryByteCount)
  }
}

/// The reason why a file could not be read, as a short text.
package struct FileFailure: Error, Equatable {
  package let reason: String
}

/// The configuration file as the system gives it.
package enum SettingsFile {
  /// The largest file that is looked at.
  package static let maximumBytes = 262_144

  /// Reads a file, but never more than one byte beyond the largest size allowed.
  package static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path, atMost: maximumBytes + 1)
    } catch {
      throw FileFailure(reason: error.reason)
    }
  }
}
