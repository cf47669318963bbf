/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * openapi: what a server says itself of the fields that it takes: the document
 * /openapi.json, as FastAPI makes it.
 *
 * Of it is read: the schema of the JSON body of POST to a path, given there or
 * by one reference into components/schemas, and the names of its properties.
 */
#ifndef TAPE_ENGINE_OPENAPI_H
#define TAPE_ENGINE_OPENAPI_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_OPENAPI_PATH "/openapi.json"

/* The properties of that schema, a JSON object in doc; absent when doc is no
   such document, or the path is not in it. */
struct tape_str tape_openapi_properties(struct tape_str doc, const char *path);

/* Whether there is a property of that name. */
bool tape_openapi_has(struct tape_str properties, struct tape_str name);

#endif
