import Foundation

/// A libpq as it was before PostgreSQL 14: the installed one without the functions that came with it.
enum OlderLibrary {
    /// Compiles the library into a folder; opening it makes the file `opened` there.
    static func make(in folder: TemporaryFolder) async throws {
        let headers = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../../Sources/CAuthStatePostgres/include").standardizedFileURL.path
        let real = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
            .map { "/usr/lib/\($0)/libpq.so.5" }.first { FileManager.default.fileExists(atPath: $0) }
        guard let real else { throw CocoaError(.fileNoSuchFile) }
        let source = """
            #define AUTHSTATE_CHECKING_DECLARATIONS
            #include <CAuthStatePostgres.h>
            #include <dlfcn.h>
            #include <stdio.h>
            static void *library;
            __attribute__((constructor)) static void start(void) {
                library = dlopen("\(real)", RTLD_NOW | RTLD_LOCAL);
                FILE *file = fopen("\(folder.path)/opened", "w");
                fputs("opened", file);
                fclose(file);
            }
            #define FORWARD(result, name, parameters, arguments) \\
                result name parameters { return ((result(*) parameters)dlsym(library, #name)) arguments; }
            AUTHSTATE_PQ_FUNCTIONS(FORWARD)
            """
        let file = try folder.file("libpq.c", containing: source)
        let result = try await Program.run([
            "clang", "-w", "-shared", "-fPIC", "-I", headers, "-o", folder("libpq.so.5"), file, "-ldl",
        ])
        guard result.status == 0 else { throw NotInTime(description: "clang failed: \(result.errors)") }
    }
}
