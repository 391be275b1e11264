internal import ArgumentParser

/// The arguments of the process.
enum ProgramArguments {
  /// Returns the arguments after the name of the program.
  ///
  /// - Throws: A usage error for an argument that is not UTF-8, which would be sent with other characters.
  static func read() throws -> [String] {
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return try decoded(arguments.dropFirst().compactMap { $0.map { UnsafePointer($0) } })
  }

  /// Returns the texts of arguments.
  static func decoded(_ arguments: [UnsafePointer<CChar>]) throws -> [String] {
    try arguments.enumerated().map { index, argument in
      guard let text = String(validatingCString: argument) else {
        throw ValidationError(
          "argument \(index + 1) is not UTF-8: \(String(cString: argument).debugDescription)")
      }
      return text
    }
  }
}
