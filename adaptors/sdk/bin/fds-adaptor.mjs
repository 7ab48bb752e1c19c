#!/usr/bin/env node
import '../dist/setup/main.js';
