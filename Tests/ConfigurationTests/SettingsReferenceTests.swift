import Testing

@testable import Configuration

@Suite("Documentation of settings")
struct SettingsReferenceTests {
  @Test("the help text lists every flag with its default, in lines that fit a terminal")
  func help() {
    let text = SettingsReference.helpText(of: .gateway)
    for definition in SettingsTable.gateway.all {
      // A long name has a line of its own.
      let (flag, name) = ("\n  \(definition.flag)", "(\(definition.name))\n")
      #expect(text.contains("\(flag)  \(name)") || text.contains("\(flag)\n    \(name)"))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 80 })
    #expect(
      text.contains(
        """
          --limits-flood-window-ms  (limits.flood.window_ms)
              Length of the window for sending. 0 means unlimited. Changes on reload.
              Value: milliseconds from 0 to 3600000. Default: 1000.
        """))
  }

  @Test("the printed defaults form a file that changes nothing")
  func defaults() throws {
    #expect(try load(file: SettingsReference.defaultsFile(of: .gateway)) == load())
    for definition in SettingsTable.gateway.all {
      #expect(SettingsReference.defaultsFile(of: .gateway).contains("\(definition.name):"))
    }
  }
}
