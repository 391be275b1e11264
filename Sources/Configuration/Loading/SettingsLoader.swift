internal import Reactor

/// Loads ``Settings`` from flags, environment and file.
///
/// Flags take precedence over the environment, the environment over the file, and the file over the
/// defaults.
///
/// Reads all sources before failing, so that one attempt shows every problem.
package enum SettingsLoader {
  /// Reads a whole file, or throws the reason why it cannot be read.
  package typealias ReadFile = (_ path: String) throws(FileFailure) -> [UInt8]

  /// The environment variable with the path of the file, used when the flag `--config` is absent.
  static let fileVariable = "PARLEY_CONFIG"
  /// The flag with the path of the file.
  static let fileFlag = "--config"

  /// Reads and checks all settings.
  ///
  /// - Parameters:
  ///   - program: The program that the settings are for. Settings of other programs are ignored in the
  ///     file and the environment, which the programs may share, and refused as flags.
  ///   - arguments: The command line arguments that contain settings: `--a-b-c value` or
  ///     `--a-b-c=value`. `--config` may be among them.
  ///   - environment: All environment variables; only those named `PARLEY_…` are read.
  ///   - file: The path given by `--config`, if the caller has already parsed it.
  ///   - processorCount: The default of `reactors`.
  ///   - memoryByteCount: Twice the default of `limits.memory_bytes`.
  ///   - readFile: Reads the configuration file, if there is one.
  /// - Throws: All problems: unknown names, invalid values, invalid combinations.
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

/// The configuration file in the file system.
package enum SettingsFile {
  /// The maximum size of the file.
  package static let maximumBytes = 262_144

  /// Reads a file, but at most one byte more than the maximum size.
  package static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path, atMost: maximumBytes + 1)
    } catch {
      throw FileFailure(reason: error.reason)
    }
  }
}
